import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../../../kernel/db/database.ts'
import { mergeWrites } from '../../../../kernel/db/engines/merge.ts'
import { combine } from '../../../../kernel/db/engines/postgres-combine.ts'
import { statementsOf } from '../../../../kernel/db/engines/statements.ts'
import type { Row, Write } from '../../../../kernel/types/storage.ts'
import { everyEngine, openFresh } from '../../../support/databases.ts'

const TABLES = ['parents', 'children', 'notes'] as const
type Table = (typeof TABLES)[number]

const write = (table: Table, mode: Write['mode'], ...rows: Row[]): Write => ({
  table,
  key: ['id'],
  mode,
  rows,
})
const returning = (add: Write): Write => ({ ...add, returning: ['id', 'size'] })

describe('the statements of a small turn on PostgreSQL', () => {
  const statements = (...jobs: Write[][]) =>
    mergeWrites(jobs).flatMap((batch) => statementsOf(batch, 'postgres'))
  const put = (table: Table, count = 1): Write =>
    write(table, 'put', ...Array.from({ length: count }, (_, i) => ({ id: `${i}`, size: i })))

  it('are one, with a fence before it', () => {
    const fence = { sql: 'SELECT fence($1)', values: ['x'], rows: 0, isReturning: false }
    const added = returning(write('parents', 'add', { id: 'a', size: 1 }))
    const given = [fence, ...statements([added, put('children', 3), put('notes')])]
    const combined = combine(given)
    expect(given).to.have.length(5)
    expect(combined.statements).to.have.length(2)
    expect(combined.statements[0]).to.equal(fence)
    expect(combined.spread([[], [{ id: 'a', size: 1 }]])).to.deep.equal([
      [],
      [{ id: 'a', size: 1 }],
      [],
      [],
      [],
    ])
  })

  it('stay apart if one of them removes, writes a row of another, or is large, or the new rows of a table are in two', () => {
    const removes = statements([put('parents'), write('notes', 'remove', { id: '0' })])
    const again = statements([write('parents', 'add', { id: '0', size: 1 }), put('parents')])
    const large = statements([put('parents', 20), put('notes')])
    const two = statements([
      put('parents'),
      write('notes', 'add', ...['a', 'b', 'c'].map((id) => ({ id, size: 1 }))),
    ])
    for (const given of [removes, again, large, two]) expect(combine(given).statements).to.equal(given)
  })
})

for (const engine of everyEngine) {
  describe(`turns over several tables on ${engine.name}`, () => {
    let database: Database
    before(async () => {
      database = await openFresh(engine)
      for (const name of TABLES)
        await database.main.schema.createTable(name, (table) => {
          table.text('id').primary()
          table.integer('size')
          if (name === 'children')
            table.text('parent').references('id').inTable('parents').onDelete('CASCADE')
        })
    })
    after(() => database.close())

    it('leave what their writes would, one after the other', async () => {
      const id = fc.constantFrom('a', 'b', 'c', 'd')
      const row = fc.record({ id, size: fc.integer({ min: 0, max: 9 }) })
      const one = fc
        .record({
          table: fc.constantFrom(...TABLES),
          mode: fc.constantFrom('add' as const, 'put' as const, 'update' as const),
          rows: fc.uniqueArray(row, { minLength: 1, maxLength: 3, selector: (each) => each.id }),
          isReturning: fc.boolean(),
        })
        .map(({ table, mode, rows, isReturning }) => {
          const made = write(table, mode, ...rows)
          return isReturning && mode === 'add' ? returning(made) : made
        })
      const turns = fc.array(fc.array(fc.array(one, { maxLength: 4 }), { maxLength: 3 }), { maxLength: 3 })
      await fc.assert(
        fc.asyncProperty(turns, async (jobsOfTurns) => {
          for (const name of [...TABLES].reverse()) await database.main(name).del()
          const model = Object.fromEntries(TABLES.map((name) => [name, new Map<string, Row>()]))
          for (const jobs of jobsOfTurns) {
            const expected = jobs.map((writes) => writes.flatMap((each) => apply(model[each.table], each)))
            const results = await database.turns.commit(jobs)
            for (const [index, rows] of results.entries())
              expect(rows.map((each) => each['id'])).to.have.members(expected[index] ?? [])
          }
          for (const name of TABLES) {
            const stored = await database.main<Row>(name).orderBy('id').select('id', 'size')
            const wanted = [...(model[name]?.values() ?? [])]
            expect(stored).to.deep.equal(wanted.sort((x, y) => (String(x['id']) < String(y['id']) ? -1 : 1)))
          }
        }),
        { numRuns: 60 },
      )
    })

    it('number new rows in their order', async () => {
      await database.main.schema.createTable('numbered', (table) => {
        table.bigIncrements('seq')
        table.text('id').unique()
      })
      const added = ['a', 'b', 'c'].map((id) => [
        { table: 'numbered', key: ['id'], mode: 'add' as const, rows: [{ id }] },
      ])
      await database.turns.commit([...added, [write('notes', 'put', { id: 'n', size: 1 })]])
      const stored = await database.main<Row>('numbered').orderBy('seq').select('id')
      expect(stored.map((row) => row['id'])).to.deep.equal(['a', 'b', 'c'])
    })

    it('may write a row and one that refers to it together', async () => {
      const child = { id: 'child', size: 1, parent: 'parent' }
      await database.turns.commit([
        [write('children', 'put', child), write('parents', 'put', { id: 'parent', size: 1 })].reverse(),
      ])
      expect(await database.main('children').where({ parent: 'parent' })).to.have.length(1)
    })
  })
}

/** @returns the ids of which the write returns rows. */
function apply(table: Map<string, Row> | undefined, { mode, rows, returning = [] }: Write): string[] {
  const inserted: string[] = []
  for (const row of rows) {
    const id = String(row['id'])
    const before = table?.get(id)
    if (mode === 'update' ? !before : mode === 'add' && before) continue
    table?.set(id, { id, size: row['size'] })
    if (mode === 'add' && returning.length > 0) inserted.push(id)
  }
  return inserted
}
