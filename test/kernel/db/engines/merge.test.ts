import { expect } from 'chai'
import type { Database } from '../../../../kernel/db/database.ts'
import { mergeWrites } from '../../../../kernel/db/engines/merge.ts'
import { type Statement, statementsOf } from '../../../../kernel/db/engines/statements.ts'
import type { Row, Write } from '../../../../kernel/types/storage.ts'
import { everyEngine, openFresh } from '../../../support/databases.ts'

for (const engine of everyEngine) {
  describe(`merging writes on ${engine.name}`, () => {
    let database: Database
    let statements: Statement[] = []

    before(async () => {
      database = await openFresh(engine)
      await database.main.schema.createTable('things', (table) => {
        table.text('id').primary()
        table.integer('size')
        table.text('name')
      })
    })
    beforeEach(async () => {
      await database.main('things').del()
    })
    after(() => database.close())

    const write = (mode: Write['mode'], ...rows: Row[]): Write => ({
      table: 'things',
      key: ['id'],
      mode,
      rows,
    })
    const merge = (...jobs: Write[][]): Promise<Row[][]> => {
      statements = mergeWrites(jobs).flatMap((batch) => statementsOf(batch, database.dialect))
      return database.turns.commit(jobs)
    }
    const asking = (add: Write): Write => ({ ...add, returning: ['id'] })
    const stored = (): Promise<Row[]> => database.main('things').orderBy('id').select('id', 'size')

    it('writes many jobs of one table in one statement, the last row of a key', async () => {
      await merge(
        [write('put', { id: 'a', size: 1 })],
        [write('put', { id: 'b', size: 1 }, { id: 'a', size: 2 })],
      )
      expect(statements).to.have.length(1)
      expect(await stored()).to.deep.equal([
        { id: 'a', size: 2 },
        { id: 'b', size: 1 },
      ])
    })

    it('keeps the order of writes to one key in different modes', async () => {
      await merge(
        [write('put', { id: 'a', size: 1 })],
        [write('remove', { id: 'a' })],
        [write('add', { id: 'a', size: 3 })],
        [write('update', { id: 'a', size: 4 })],
      )
      expect(await stored()).to.deep.equal([{ id: 'a', size: 4 }])
    })

    it('merges rows that each job writes twice', async () => {
      await merge(
        [write('add', { id: 'a', size: 1 }), write('update', { id: 'a', size: 3 })],
        [write('add', { id: 'b', size: 2 }), write('update', { id: 'b', size: 3 })],
      )
      expect(statements).to.have.length(2)
      expect(await stored()).to.deep.equal([
        { id: 'a', size: 3 },
        { id: 'b', size: 3 },
      ])
    })

    it('answers each job the rows that its add inserted, and only those', async () => {
      await merge([write('put', { id: 'old', size: 1 })])
      const answers = await merge(
        [asking(write('add', { id: 'old', size: 2 }, { id: 'a', size: 2 }))],
        [asking(write('add', { id: 'a', size: 3 }, { id: 'b', size: 3 }))],
        [write('put', { id: 'c', size: 4 })],
        [write('add', { id: 'e', size: 5 })],
      )
      expect(answers).to.deep.equal([[{ id: 'a' }], [{ id: 'b' }], [], []])
      expect((await stored()).map(({ size }) => size)).to.deep.equal([2, 3, 4, 5, 1])
      const [[row] = []] = await merge([{ ...write('add', { id: 'd', size: 5 }), returning: ['id', 'size'] }])
      expect(row).to.deep.equal({ id: 'd', size: 5 })
    })

    it('updates rows in one statement, whatever values they get, and adds none', async () => {
      await merge([write('put', { id: 'a', size: 1 }, { id: 'b', size: 1 }, { id: 'c', size: 1 })])
      await merge([
        write(
          'update',
          { id: 'a', size: 7 },
          { id: 'b', size: 7 },
          { id: 'c', size: 8 },
          { id: 'x', size: 7 },
        ),
      ])
      // Statements are prepared for powers of two: four rows.
      expect(statements).to.have.length(1)
      expect((await stored()).map(({ size }) => size)).to.deep.equal([7, 7, 8])
    })

    it('splits what is too long for a statement', async () => {
      const rows = Array.from({ length: 1000 }, (_, at) => ({ id: String(at), size: at }))
      const [inserted = []] = await merge([asking(write('add', ...rows))])
      expect(inserted).to.have.length(1000)
      // 15 of 64 rows, then 32 and 8.
      expect(new Set(statements.map(({ sql }) => sql)).size).to.equal(3)
      await merge([write('remove', ...rows.map(({ id }) => ({ id })))])
      expect(await stored()).to.deep.equal([])
    })
  })
}
