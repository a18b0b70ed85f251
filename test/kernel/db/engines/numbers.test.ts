import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../../../kernel/db/database.ts'
import { migrate } from '../../../../kernel/db/migrate.ts'
import type { Row } from '../../../../kernel/types/storage.ts'
import { everyEngine, openFresh } from '../../../support/databases.ts'

const tables = {
  '001_lines': {
    up: async (knex: Database['main']) => {
      await knex.schema.createTable('try_lines', (table) => {
        table.bigIncrements('seq')
        table.text('id').notNullable().unique()
        table.integer('size').notNullable()
      })
    },
    down: async (knex: Database['main']) => {
      await knex.schema.dropTable('try_lines')
    },
  },
}

interface Line {
  seq: number
  id: string
}

for (const engine of everyEngine) {
  describe(`numbers of new rows on ${engine.name}`, () => {
    let database: Database
    beforeEach(async () => {
      database = await openFresh(engine)
      await migrate(database.main, 'try', tables)
    })
    afterEach(() => database.close())

    async function add(ids: readonly string[], size = 1): Promise<Line[]> {
      const rows: Row[] = ids.map((id) => ({ id, size }))
      const returning = ['id', 'seq']
      const [added = []] = await database.turns.commit([
        [{ table: 'try_lines', key: ['id'], mode: 'add', rows, returning }],
      ])
      return linesOf(added)
    }
    const stored = async (): Promise<Line[]> => linesOf(await database.read<Row>('try_lines').orderBy('seq'))

    it('are those of the table, and only new rows are returned, whoever wrote the others', async () => {
      const id = fc.integer({ min: 0, max: 60 }).map(String)
      const step = fc.record({
        ids: fc.uniqueArray(id, { minLength: 1, maxLength: 20 }),
        isOther: fc.boolean(),
      })
      let runs = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
          runs += 1
          for (const { isOther, ...step } of steps) {
            const ids = step.ids.map((one) => `${runs} ${one}`)
            const before = new Set((await stored()).map((line) => line.id))
            if (isOther) {
              const rows = ids.map((one) => ({ id: `other ${one}`, size: 0 }))
              await database.main('try_lines').insert(rows).onConflict('id').ignore()
            }
            const added = await add(isOther ? [...ids, ...ids.map((one) => `other ${one}`)] : ids)
            expect(added.map((line) => line.id)).to.have.members(ids.filter((one) => !before.has(one)))
            expect(await stored()).to.deep.include.members(added)
          }
        }),
        { numRuns: 25 },
      )
    })

    it('go on after a turn that failed', async () => {
      await add(['a'])
      const failed = database.turns.commit([
        [
          {
            table: 'try_lines',
            key: ['id'],
            mode: 'add',
            rows: [{ id: 'b', size: 1 }],
            returning: ['id', 'seq'],
          },
          { table: 'missing', key: ['id'], mode: 'add', rows: [{ id: 'b' }] },
        ],
      ])
      expect(await failed.then(() => undefined, String)).to.include('missing')
      expect((await add(['a', 'b', 'c'])).map(({ id }) => id)).to.deep.equal(['b', 'c'])
      expect((await stored()).map(({ id }) => id)).to.deep.equal(['a', 'b', 'c'])
    })
  })
}

function linesOf(rows: readonly Row[]): Line[] {
  return rows.map((row) => ({ seq: Number(row['seq']), id: String(row['id']) }))
}
