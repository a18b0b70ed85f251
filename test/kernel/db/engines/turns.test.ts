import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../../../kernel/db/database.ts'
import { migrate } from '../../../../kernel/db/migrate.ts'
import type { Row, Write } from '../../../../kernel/types/storage.ts'
import { connected, everyEngine, openFresh } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'

const tables = {
  '001_values': {
    up: async (knex: Database['main']) => {
      await knex.schema.createTable('try_values', (table) => {
        table.text('id').primary()
        table.text('text')
        table.binary('bytes')
        table.bigInteger('number')
        table.boolean('flag')
      })
    },
    down: async (knex: Database['main']) => {
      await knex.schema.dropTable('try_values')
    },
  },
}

/** With values in the text of the statements, and with values beside it, as many rows are written. */
const SIZES = { few: 0, many: 1_100 }
const NASTY = [
  "'",
  "''); DELETE FROM try_values; --",
  '\\',
  "\\'",
  '?',
  '$1',
  '$&',
  '\u0000x',
  '',
  '💬',
  '\n\r\t',
]

for (const engine of everyEngine) {
  describe(`turns on ${engine.name}`, () => {
    let database: Database
    before(async () => {
      database = await openFresh(engine)
      await migrate(database.main, 'try', tables)
    })
    after(() => database.close())

    const commit = (mode: Write['mode'], rows: Row[], returning: string[] = []): Promise<Row[][]> =>
      database.turns.commit([[{ table: 'try_values', key: ['id'], mode, rows, returning }]])
    const filler = (count: number): Row[] =>
      Array.from({ length: count }, (_, i) => ({
        id: `filler ${i}`,
        text: '',
        bytes: null,
        number: i,
        flag: null,
      }))
    const stored = async (id: string): Promise<Row | undefined> =>
      await database.read<Row>('try_values').where({ id }).first()

    for (const [name, more] of Object.entries(SIZES)) {
      it(`writes every value as it is, with ${name} rows in a turn`, async () => {
        // PostgreSQL has no NUL in a text.
        const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'grapheme' }))
        const anyRow = fc.record({
          id: text.filter((id) => !id.startsWith('filler')),
          text: fc.option(text),
          bytes: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
          number: fc.option(fc.integer({ min: -(2 ** 52), max: 2 ** 52 })),
          flag: fc.boolean(),
        })
        const row =
          engine.name === 'SQLite' ? anyRow : anyRow.filter(({ id, text }) => !`${id}${text}`.includes('\0'))
        await fc.assert(
          fc.asyncProperty(row, async (wanted) => {
            await commit('put', [wanted, ...filler(more)])
            const found = await stored(wanted.id)
            expect({
              ...found,
              number: found?.['number'] === null ? null : Number(found?.['number']),
              flag: Boolean(found?.['flag']),
            }).to.deep.equal(wanted)
            await commit('update', [{ id: wanted.id, text: 'changed' }])
            expect((await stored(wanted.id))?.['text']).to.equal('changed')
            await commit('remove', [{ id: wanted.id }])
            expect(await stored(wanted.id)).to.equal(undefined)
          }),
          { numRuns: 60 },
        )
      })
    }

    it('writes long values, in the text and beside it', async () => {
      for (const length of [200_000, 400_000]) {
        const long = { id: 'text', text: '語'.repeat(length) }
        const bytes = Buffer.alloc(length, 7)
        await commit('put', [long])
        await commit('put', [{ id: 'bytes', bytes }])
        expect((await stored('text'))?.['text']).to.equal(long.text)
        expect(bytes.equals((await stored('bytes'))?.['bytes'] as Buffer)).to.equal(true)
      }
    })

    it('answers with the rows of one statement among others', async () => {
      const rows = [{ id: 'a', text: 'x' }]
      const add = { table: 'try_values', key: ['id'], mode: 'add' as const }
      const turn = (): Promise<Row[][]> =>
        database.turns.commit([
          [{ ...add, mode: 'put', rows: [{ id: 'first', flag: true }] }],
          [{ ...add, rows, returning: ['id'] }],
          [{ ...add, mode: 'put', rows: [{ id: 'last', flag: true }] }],
        ])
      expect(await turn()).to.deep.equal([[], [{ id: 'a' }], []])
      expect(await turn()).to.deep.equal([[], [], []])
    })

    it('leaves nothing of a turn that fails at its last statement', async () => {
      const put = { table: 'try_values', key: ['id'], mode: 'put' as const }
      const failed = database.turns.commit([
        [{ ...put, rows: [{ id: 'half' }] }],
        [{ ...put, rows: [{ id: 'half', no_such_column: 1 }] }],
      ])
      expect(
        await failed.then(
          () => 'committed',
          () => 'failed',
        ),
      ).to.equal('failed')
      expect(await stored('half')).to.equal(undefined)
      await commit('put', [{ id: 'next' }])
      expect((await stored('next'))?.['id']).to.equal('next')
    })

    it('runs the statements of a turn that failed before it came to them', async () => {
      const put = { table: 'try_values', key: ['id'], mode: 'put' as const }
      const late = [{ ...put, rows: [{ id: 'late', bytes: Buffer.from('late'), flag: true }] }]
      const failed = database.turns.commit([
        [{ ...put, mode: 'add', rows: [{ no_such_column: 1, id: 'half' }] }],
        late,
      ])
      expect(await failed.catch(() => 'failed')).to.equal('failed')
      await database.turns.commit([late])
      expect((await stored('late'))?.['bytes']).to.deep.equal(Buffer.from('late'))
    })
  })
}

const postgres = everyEngine.find(({ name }) => name === 'PostgreSQL')

describe('the plans of turns on PostgreSQL', () => {
  it('find rows by their key, also those from when the table was small', async function () {
    if (!postgres) return this.skip()
    const writing = await openFresh(postgres)
    await migrate(writing.main, 'try', tables)
    const { rows } = await writing.main.raw("SELECT 'try_values'::regclass::oid AS table")
    const commit = (mode: Write['mode'], count: number, text: string): Promise<Row[][]> => {
      const named = Array.from({ length: count }, (_, i) => ({ id: `${i}`, text }))
      return writing.turns.commit([[{ table: 'try_values', key: ['id'], mode, rows: named }]])
    }
    await commit('put', 64, '')
    // After five times PostgreSQL keeps one plan for all values.
    for (let turn = 0; turn < 10; turn += 1) await commit('update', 64, `${turn}`)
    await commit('put', 5_000, '')
    for (let turn = 0; turn < 10; turn += 1) await commit('update', 64, `more ${turn}`)
    // A connection reports its statistics when it ends.
    await writing.close()
    const look = connected(process.env['TEST_DATABASE_URL'] ?? '')
    try {
      const scans = await eventually(async () => {
        const found = await look.raw('SELECT * FROM pg_stat_user_tables WHERE relid = ?', [rows[0].table])
        const [stat] = found.rows
        return Number(stat?.n_tup_upd) === 2 * 640 + 64 && String(stat.seq_scan)
      }, 'the statistics of the table')
      // To make its index.
      expect(scans).to.equal('1')
    } finally {
      await look.destroy()
    }
  })
})
