import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { createWriter, type Writer } from '../../../kernel/db/writer.ts'
import { openSessionStore, type SessionStore } from '../../../kernel/sessions/store.ts'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { createVault } from '../../../kernel/vault/vault.ts'
import { migrations } from '../../../migrations/index.ts'
import { everyEngine, openFresh } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { KEYS } from '../../support/gateway.ts'

const TOKEN = 'a-token-of-some-length'

for (const engine of everyEngine) {
  describe(`session store on ${engine.name}`, () => {
    let database: Database
    let writer: Writer
    let store: SessionStore

    const open = (keys = KEYS, allowWeakTokens = true): Promise<SessionStore> =>
      openSessionStore(database, writer, createVault(openKeyring(keys)), allowWeakTokens)
    const codeOf = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: { code: string }) => error.code,
      )

    beforeEach(async () => {
      database = await openFresh(engine)
      await migrate(database.main, 'kernel', migrations)
      writer = createWriter(database)
      store = await open()
    })
    afterEach(() => database.close())

    it('has the same rows after it is opened again', async () => {
      const { id } = await store.create({
        token: TOKEN,
        name: 'n',
        subscribe: ['Message'],
        webhook: 'http://x',
      })
      const changed = await store.update(id, { jid: '1@h', network: 'w', autoConnect: true })
      expect((await open()).all()).to.deep.equal([changed])
      expect((await open()).byToken(TOKEN)).to.include({ id, autoConnect: true, jid: '1@h' })
    })

    it('stores neither the token nor an address readably', async () => {
      const { id } = await store.create({ token: TOKEN, webhook: 'http://secret.example' })
      await store.update(id, { jid: '4915112345@h' })
      const [row] = await database.read('sessions')
      const text = Object.values(row).map(String).join()
      for (const secret of [TOKEN, 'secret.example', '4915112345']) expect(text).to.not.include(secret)
    })

    it('refuses a token that is in use, and a short one where weak ones are not allowed', async () => {
      await store.create({ token: TOKEN })
      expect(await codeOf(store.create({ token: TOKEN }))).to.equal('SESSION_EXISTS')
      expect(await codeOf(store.create({ token: 'short' }))).to.equal('done')
      expect(await codeOf((await open(KEYS, false)).create({ token: 'other' }))).to.equal('FIELD_INVALID')
      expect((await store.create({})).token).to.match(/^[0-9a-f]{64}$/)
    })

    it('builds changes on each other, and reverts one that can not be stored', async () => {
      const { id } = await store.create({ token: TOKEN })
      await Promise.all([store.update(id, { name: 'a' }), store.update(id, { os: 'b' })])
      expect(store.byId(id)).to.include({ name: 'a', os: 'b' })
      await database.main.schema.renameTable('sessions', 'hidden')
      expect(await codeOf(store.update(id, { name: 'lost' }))).to.not.equal('done')
      expect(store.byId(id)).to.include({ name: 'a' })
      expect(await codeOf(store.update('gone', { name: 'x' }))).to.equal('SESSION_UNKNOWN')
    })

    it('wraps keys again under a new master key', async () => {
      const { id } = await store.create({ token: TOKEN })
      const next = `k2:${Buffer.alloc(32, 2).toString('base64')}`
      await open(`${next},${KEYS}`)
      expect(await database.read('sessions').select('id', 'key_id')).to.deep.equal([{ id, key_id: 'k2' }])
      expect((await open(next)).byToken(TOKEN)).to.include({ id })
    })

    it('replaces a token, at once or after the grace period, also over a restart', async () => {
      const { id } = await store.create({ token: TOKEN })
      const ended = store.tokenEnded(TOKEN)
      const { token: second } = await store.rotateToken(id, 60_000)
      expect([store.byToken(TOKEN)?.id, store.byToken(second)?.id]).to.deep.equal([id, id])
      expect((await open()).byToken(TOKEN)).to.include({ id })
      expect(await codeOf(store.create({ token: TOKEN }))).to.equal('SESSION_EXISTS')
      expect(ended.aborted).to.equal(false)
      const { token: third } = await store.rotateToken(id, 0)
      expect(ended.aborted).to.equal(true)
      expect([TOKEN, second].map((token) => store.byToken(token))).to.deep.equal([undefined, undefined])
      const again = await open()
      expect([TOKEN, second, third].map((token) => again.byToken(token)?.id)).to.deep.equal([
        ...[undefined, undefined],
        id,
      ])
      const { token: fourth } = await store.rotateToken(id, 20)
      await eventually(async () => !store.byToken(third), 'the grace period is over')
      expect((await open()).byToken(third)).to.equal(undefined)
      expect(store.byToken(fourth)).to.include({ id })
      expect(await codeOf(store.rotateToken('gone', 0))).to.equal('SESSION_UNKNOWN')
    })

    it('keeps labels, sealed', async () => {
      const { id } = await store.create({ labels: { customer: 'acme-corp' } })
      expect((await open()).byId(id)?.labels).to.deep.equal({ customer: 'acme-corp' })
      const [row] = await database.read('sessions')
      expect(Object.values(row).map(String).join()).to.not.include('acme-corp')
      await store.update(id, { labels: {} })
      expect((await open()).byId(id)?.labels).to.deep.equal({})
    })

    it('opens only changed rows of other processes, and none that was changed here while they were read', async function () {
      if (database.dialect === 'sqlite') this.skip()
      let opened = 0
      const vault = createVault(openKeyring(KEYS))
      const counting = {
        ...vault,
        open: (...args: Parameters<typeof vault.open>) => {
          opened += 1
          return vault.open(...args)
        },
      }
      const other = await openSessionStore({ ...database, isShared: true }, writer, counting, true)
      const ids: string[] = []
      for (let made = 0; made < 20; made += 1) ids.push((await store.create({})).id)
      const [first = '', second = ''] = ids
      const none = (): boolean => false
      await other.sync(none)
      expect(other.all()).to.have.length(20)
      opened = 0
      await other.sync(none)
      expect(opened, 'opened again').to.equal(0)
      await store.update(first, { name: 'changed' })
      await store.remove(second)
      await other.sync(none)
      expect(opened).to.be.within(1, 6)
      expect(other.byId(first)).to.include({ name: 'changed' })
      expect(other.byId(second)).to.equal(undefined)
      await other.update(first, { name: 'here' })
      await store.refresh(first)
      await store.update(first, { name: 'there' })
      await other.sync(none)
      expect(other.byId(first)).to.include({ name: 'there' })
      const syncing = other.sync(none)
      await other.update(first, { name: 'meanwhile' })
      await syncing
      expect(other.byId(first)).to.include({ name: 'meanwhile' })
    })

    it('deletes a session with its key', async () => {
      const { id } = await store.create({ token: TOKEN })
      await store.remove(id)
      expect([store.byId(id), store.byToken(TOKEN)]).to.deep.equal([undefined, undefined])
      expect(await database.read('sessions')).to.deep.equal([])
    })
  })
}
