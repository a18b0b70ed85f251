import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { migrations as kernel } from '../../../migrations/index.ts'
import { migrations } from '../../../plugins/webhook/migrations.ts'
import { everyEngine, openFresh } from '../../support/databases.ts'

const bytes = Buffer.from('sealed')

for (const engine of everyEngine) {
  describe(`the tables of webhooks on ${engine.name}`, () => {
    let database: Database
    before(async () => {
      database = await openFresh(engine)
    })
    after(() => database.close())

    it('keep their rows when endpoints of all sessions become possible', async () => {
      const db = database.main
      const { '001_deliveries': first } = migrations
      await migrate(db, 'kernel', kernel)
      await migrate(db, 'webhook', { '001_deliveries': first as NonNullable<typeof first> })
      await db('sessions').insert({
        ...{ id: 's', token_mac: 'm', token: bytes, key_id: 'k1', key: bytes, name: 's', os: 'x' },
        ...{ subscribe: '[]', webhook: bytes, jid: bytes, lid: bytes, network: '', wanted: false },
        created_at: '',
      })
      const event = {
        id: 'e',
        session: 's',
        class: 'c',
        type: 't',
        lane: 'l',
        time: '',
        body: bytes,
        logged: 1,
      }
      await db('events').insert(event)
      const endpoint = {
        ...{
          id: 'ep',
          session: 's',
          first: false,
          url: bytes,
          format: 'json',
          subscribe: '[]',
          secret: bytes,
        },
        ...{ old_secret: bytes, old_until: 0, state: 'active', reason: bytes, failing_since: 0 },
      }
      await db('webhook_endpoints').insert(endpoint)
      const { seq } = await db('events').first()
      const delivery = {
        ...{ seq, endpoint: 'ep', lane: 'l', jid: bytes, state: 'pending', attempts: 2, step: 1, next_at: 5 },
        ...{ entered: 6, last: 'status 500' },
      }
      await db('webhook_deliveries').insert(delivery)

      await migrate(db, 'webhook', migrations)
      expect(await db('webhook_endpoints').first()).to.deep.include({ id: 'ep', session: 's', url: bytes })
      const kept = await db('webhook_deliveries').first()
      expect({ ...kept, seq: Number(kept.seq) }).to.include({ endpoint: 'ep', state: 'pending', attempts: 2 })

      await db('webhook_endpoints').insert({ ...endpoint, id: 'all', session: null })
      await db('webhook_deliveries').insert({ ...delivery, endpoint: 'all' })
      await db('webhook_endpoints').where({ id: 'ep' }).del()
      expect(await db('webhook_deliveries').select('endpoint')).to.deep.equal([{ endpoint: 'all' }])
      await db('sessions').del()
      expect(await db('webhook_deliveries')).to.deep.equal([])
      expect(await db('webhook_endpoints').select('id')).to.deep.equal([{ id: 'all' }])
    })
  })
}
