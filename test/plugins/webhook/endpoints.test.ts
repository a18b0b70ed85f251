import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { pluginDb } from '../../../kernel/db/plugin-db.ts'
import { createWriter } from '../../../kernel/db/writer.ts'
import { openSessionStore } from '../../../kernel/sessions/store.ts'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { createVault } from '../../../kernel/vault/vault.ts'
import { createPeers } from '../../../kernel/wiring/peers.ts'
import { migrations as kernel } from '../../../migrations/index.ts'
import { createEndpoints } from '../../../plugins/webhook/endpoints/endpoints.ts'
import { migrations } from '../../../plugins/webhook/migrations.ts'
import { everyEngine, openFresh } from '../../support/databases.ts'
import { KEYS } from '../../support/gateway.ts'

/** A process with the database: its sessions, and its endpoints, which count what they decrypt. */
async function join(database: Database) {
  const vault = createVault(openKeyring(KEYS))
  const writer = createWriter(database)
  const store = await openSessionStore(database, writer, vault, true)
  const opened = { count: 0 }
  const endpoints = createEndpoints({
    config: { format: 'wamux' } as never,
    db: pluginDb(database, writer, 'webhook'),
    vault: {
      ...vault,
      open: (...args) => {
        opened.count += 1
        return vault.open(...args)
      },
    },
    peers: createPeers(),
    sessions: {
      list: async () => {
        await store.sync(() => false)
        return store.all() as never
      },
      byId: async (id) => store.byId(id) as never,
    },
    log: undefined as never,
  })
  const add = async (url: string) => {
    const session = await store.create({})
    return endpoints.add(session as never, { url })
  }
  return { endpoints, opened, add }
}

for (const engine of everyEngine.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`the webhooks of processes that share ${engine.name}`, () => {
    let database: Database
    before(async () => {
      database = { ...(await openFresh(engine)), isShared: true }
      await migrate(database.main, 'kernel', kernel)
      await migrate(database.main, 'webhook', migrations)
    })
    after(() => database.close())

    it('are opened once, and again only where they have changed', async () => {
      const [one, other] = [await join(database), await join(database)]
      const ids: string[] = []
      for (let made = 0; made < 10; made += 1) ids.push((await one.add(`http://127.0.0.1/${made}`)).id)
      const [first = '', second = '', third = ''] = ids
      expect(await other.endpoints.load()).to.have.members(ids)
      other.opened.count = 0
      expect(await other.endpoints.load()).to.deep.equal([])
      expect(other.opened.count, 'opened again').to.equal(0)
      await one.endpoints.change(first, { url: 'http://127.0.0.1/changed' })
      await one.endpoints.remove(second)
      const { id } = await one.add('http://127.0.0.1/new')
      expect(await other.endpoints.load()).to.have.members([first, id])
      expect(other.endpoints.byId(first)?.url).to.equal('http://127.0.0.1/changed')
      expect(other.endpoints.byId(second)).to.equal(undefined)
      await other.endpoints.change(third, { state: 'paused' })
      await one.endpoints.load()
      await one.endpoints.change(third, { state: 'active' })
      await other.endpoints.load()
      expect(other.endpoints.byId(third)?.state).to.equal('active')
    })
  })
}
