import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { createWriter } from '../../../kernel/db/writer.ts'
import type { Migration } from '../../../kernel/plugin.ts'
import { migrations as kernel } from '../../../migrations/index.ts'
import { everyEngine, openFresh } from '../../support/databases.ts'

const rows = (table: string): Migration => ({
  up: (knex) => knex.schema.createTable(table, (columns) => void columns.text('id').primary()),
  down: (knex) => knex.schema.dropTable(table),
})
const failing: Migration = { up: () => Promise.reject(new Error('no')), down: async () => undefined }

for (const engine of everyEngine) {
  describe(`migrations of a plugin on ${engine.name}`, () => {
    let database: Database
    before(async () => {
      database = await openFresh(engine)
      await migrate(database.main, 'kernel', kernel)
    })
    after(() => database.close())
    const has = (table: string): Promise<boolean> => database.main.schema.hasTable(table)

    it('are kept all or not at all', async () => {
      const error = await migrate(database.main, 'half', { '001_a': rows('half_a'), '002_b': failing }).catch(
        String,
      )
      expect(error).to.include('no')
      expect(await has('half_a')).to.equal(false)
      expect(await has('migrations_half')).to.equal(false)
      await migrate(database.main, 'half', { '001_a': rows('half_a') })
      expect(await has('half_a')).to.equal(true)
    })

    it('run while others write', async () => {
      const writer = createWriter(database)
      let isOver = false
      const writing = (async () => {
        for (let seq = 0; !isOver; seq += 1) {
          const rows = [{ consumer: 'busy', seq }]
          await writer.write([{ table: 'consumers', key: ['consumer'], mode: 'put', rows }])
        }
      })()
      try {
        for (let owner = 0; owner < 30; owner += 1)
          await migrate(database.main, `busy${owner}`, { '001_a': rows(`busy${owner}_a`) })
      } finally {
        isOver = true
        await writing
        await database.main('consumers').where({ consumer: 'busy' }).del()
      }
      expect(await has('busy29_a')).to.equal(true)
    })

    it('are refused where the tables are those of a newer version, which the error names', async () => {
      const steps = { '001_a': rows('young_a'), '002_b': rows('young_b') }
      await migrate(database.main, 'young', { '001_a': rows('young_a') })
      await database.main('young_a').insert({ id: 'kept' })
      // Tables of an older version get what is missing.
      await migrate(database.main, 'young', steps)
      expect(await database.main('young_a').pluck('id')).to.deep.equal(['kept'])
      const error = await migrate(database.main, 'young', { '001_a': rows('young_a') }).catch(
        (refusal: Error) => refusal,
      )
      expect(error).to.have.property('code', 'SCHEMA_NEWER')
      expect(error).to.have.property('message').that.includes('"young"').and.includes('002_b')
      expect(await has('young_b')).to.equal(true)
    })
  })
}
