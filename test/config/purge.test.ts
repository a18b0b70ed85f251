import { expect } from 'chai'
import { purge } from '../../config/purge.ts'
import type { Database } from '../../kernel/db/database.ts'
import { migrate } from '../../kernel/db/migrate.ts'
import type { Migration } from '../../kernel/plugin.ts'
import { migrations as kernel } from '../../migrations/index.ts'
import { everyEngine, openFresh } from '../support/databases.ts'

const rows = (table: string): Migration => ({
  up: (knex) => knex.schema.createTable(table, (columns) => void columns.text('id').primary()),
  down: (knex) => knex.schema.dropTable(table),
})

for (const engine of everyEngine) {
  describe(`the purge of a plugin on ${engine.name}`, () => {
    let database: Database
    before(async () => {
      database = await openFresh(engine)
      await migrate(database.main, 'kernel', kernel)
    })
    after(() => database.close())
    const has = (table: string): Promise<boolean> => database.main.schema.hasTable(table)

    it('takes back migrations, with their records and the place in the log; they run again after it', async () => {
      const steps = { '001_a': rows('guest_a'), '002_b': rows('guest_b') }
      await migrate(database.main, 'guest', steps)
      await database.main('consumers').insert([
        { consumer: 'guest', seq: 7 },
        { consumer: 'other', seq: 7 },
      ])
      const gone = await database.main.transaction((trx) => purge(trx, 'guest', steps))
      expect(gone).to.deep.equal(['guest_a', 'guest_b'])
      for (const table of ['guest_a', 'guest_b', 'migrations_guest', 'migrations_guest_lock'])
        expect(await has(table), table).to.equal(false)
      expect(await database.main('consumers').pluck('consumer')).to.deep.equal(['other'])
      expect(await database.main.transaction((trx) => purge(trx, 'guest', steps))).to.deep.equal([])
      await migrate(database.main, 'guest', steps)
      expect(await has('guest_b')).to.equal(true)
    })
  })
}
