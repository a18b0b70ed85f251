import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { createWriter, type Writer } from '../../../kernel/db/writer.ts'
import type { Write } from '../../../kernel/types/storage.ts'
import { everyEngine, openFresh } from '../../support/databases.ts'
import { onFailpoint } from '../../support/failpoints.ts'

const tables = {
  '001_keys': {
    up: async (knex: Database['main']) => {
      await knex.schema.createTable('try_keys', (table) => {
        table.text('a').notNullable()
        table.text('b').notNullable()
        table.integer('value')
        table.integer('other')
        table.primary(['a', 'b'])
      })
    },
    down: async (knex: Database['main']) => {
      await knex.schema.dropTable('try_keys')
    },
  },
}

const key = ['a', 'b']
const write = (mode: Write['mode'], ...rows: Write['rows'][number][]): Write => ({
  table: 'try_keys',
  key,
  mode,
  rows,
})

for (const engine of everyEngine) {
  describe(`group-commit writer on ${engine.name}`, () => {
    let database: Database
    let writer: Writer

    beforeEach(async () => {
      database = await openFresh(engine)
      await migrate(database.main, 'try', tables)
      writer = createWriter(database)
    })
    afterEach(async () => {
      stopCounting()
      await database.close()
    })

    const rows = () => database.read('try_keys').select('a', 'b', 'value', 'other').orderBy(['a', 'b'])

    it('commits what waits together in one transaction', async () => {
      const commits = countCommits()
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => writer.write([write('put', { a: 'x', b: `${i}`, value: i })])),
      )
      expect(await rows()).to.have.length(100)
      expect(commits()).to.be.at.most(2)
    })

    it('takes what can wait along with the next commit, or commits it alone after a moment', async () => {
      const commits = countCommits()
      const waiting = writer.write([write('put', { a: 'x', b: '1', value: 1 })], { isDeferred: true })
      await writer.write([write('put', { a: 'x', b: '2', value: 2 })])
      await waiting
      expect({ commits: commits(), rows: (await rows()).length }).to.deep.equal({ commits: 1, rows: 2 })
      await writer.write([write('put', { a: 'x', b: '3', value: 3 })], { isDeferred: true })
      const last = writer.write([write('put', { a: 'x', b: '4', value: 4 })], { isDeferred: true })
      await writer.settled()
      expect({ commits: commits(), rows: (await rows()).length }).to.deep.equal({ commits: 3, rows: 4 })
      await last
    })

    it('commits what can wait before what was written after it, however the wait ends', async () => {
      const waiting = writer.write([write('put', { a: 'x', b: '1', value: 1 })], { isDeferred: true })
      const written = writer.write([write('put', { a: 'x', b: '1', value: 2 })])
      await writer.settled()
      await Promise.all([waiting, written])
      expect(await rows()).to.deep.equal([{ a: 'x', b: '1', value: 2, other: null }])
    })

    it('commits in the order of the calls, whichever of them can wait', async () => {
      const one = (value: number, isDeferred: boolean): Promise<unknown> =>
        writer.write([write('put', { a: 'x', b: '1', value })], { isDeferred })
      await Promise.all([one(1, true), one(2, false), one(3, true)])
      expect((await rows()).map(({ value }) => value)).to.deep.equal([3])
    })

    it('answers only the rows that an add really inserted', async () => {
      await writer.write([write('add', { a: 'x', b: '1', value: 1 })])
      const [again, fresh] = await Promise.all([
        writer.write([write('add', { a: 'x', b: '1', value: 2 })]),
        writer.write([{ ...write('add', { a: 'x', b: '2', value: 3 }), returning: ['a', 'b', 'value'] }]),
      ])
      expect(again).to.have.length(0)
      expect(fresh.map((row) => row['value'])).to.deep.equal([3])
      expect((await rows())[0]).to.include({ value: 1 })
    })

    it('fails the one bad write and keeps its neighbours', async () => {
      const results = await Promise.allSettled([
        writer.write([write('put', { a: 'x', b: '1', value: 1 })]),
        writer.write([{ ...write('put', { a: 'x', b: '2', value: 2 }), table: 'no_such_table' }]),
        writer.write([write('put', { a: 'x', b: '3', value: 3 })]),
      ])
      expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled'])
      expect(await rows()).to.have.length(2)
    })

    it('commits nothing of a write that fails half way', async () => {
      const half = writer.write([
        write('put', { a: 'x', b: '1', value: 1 }),
        { ...write('put', { a: 'x', b: '2', value: 2 }), table: 'no_such_table' },
      ])
      expect(
        await half.then(
          () => 'written',
          () => 'refused',
        ),
      ).to.equal('refused')
      expect(await rows()).to.have.length(0)
    })

    it('writes nothing after a signal that one of its own failures has aborted', async () => {
      const failure = new AbortController()
      const bad = { ...write('put', { a: 'x', b: '1', value: 1 }), table: 'no_such_table' }
      const first = writer
        .write([bad], { signal: failure.signal })
        .catch((error: Error) => failure.abort(error))
      // In the same turn, and in a later one.
      const behind = writer.write([write('put', { a: 'x', b: '2', value: 2 })], { signal: failure.signal })
      const other = writer.write([write('put', { a: 'y', b: '3', value: 3 })])
      const later = other.then(() =>
        writer.write([write('put', { a: 'x', b: '4', value: 4 })], { signal: failure.signal }),
      )
      const results = await Promise.allSettled([first, behind, other, later])
      expect(results.map(({ status }) => status)).to.deep.equal([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
      ])
      expect((await rows()).map(({ b }) => b)).to.deep.equal(['3'])
    })

    it('runs work after the writes that came before it, in the same order', async () => {
      const first = writer.write([write('put', { a: 'x', b: '1', value: 1 })])
      const seen = writer.transact(async (trx) => {
        const row = await trx('try_keys').first()
        await trx('try_keys').update({ value: 5 })
        return row
      })
      const last = writer.write([write('put', { a: 'x', b: '1', other: 7 })])
      await Promise.all([first, last])
      expect(await seen).to.include({ value: 1 })
      expect((await rows())[0]).to.include({ value: 5, other: 7 })
    })

    it('leaves the same rows as writing one by one, whatever is merged', async () => {
      const place = { a: fc.constantFrom('p', 'q'), b: fc.constantFrom('1', '2', '3') }
      const change = fc.oneof(
        fc.record({
          mode: fc.constant('put' as const),
          row: fc.record({ ...place, value: fc.integer({ max: 9, min: 0 }) }),
        }),
        fc.record({
          mode: fc.constant('put' as const),
          row: fc.record({ ...place, value: fc.constant(1), other: fc.integer({ max: 9, min: 0 }) }),
        }),
        fc.record({
          mode: fc.constant('add' as const),
          row: fc.record({ ...place, value: fc.integer({ max: 9, min: 0 }) }),
        }),
        fc.record({
          mode: fc.constant('update' as const),
          row: fc.record({ ...place, other: fc.integer({ max: 9, min: 0 }) }),
        }),
        fc.record({ mode: fc.constant('remove' as const), row: fc.record(place) }),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (changes) => {
          await database.main('try_keys').del()
          await Promise.all(changes.map(({ mode, row }) => writer.write([write(mode, row)])))
          expect(await rows()).to.deep.equal(oneByOne(changes))
        }),
        { numRuns: 60 },
      )
    })
  })
}

let stopCounting = (): void => undefined

function countCommits(): () => number {
  stopCounting()
  let count = 0
  stopCounting = onFailpoint((name) => {
    if (name === 'before:commit') count += 1
  })
  return () => count
}

type Line = { a: string; b: string; value: number | null; other: number | null }
type Change = { mode: Write['mode']; row: { a: string; b: string; value?: number; other?: number } }

function oneByOne(changes: readonly Change[]): Line[] {
  const lines = new Map<string, Line>()
  for (const { mode, row } of changes) {
    const id = `${row.a} ${row.b}`
    const before = lines.get(id)
    if (mode === 'remove') lines.delete(id)
    else if (mode === 'update' && !before) continue
    else if (mode !== 'add' || !before) lines.set(id, { value: null, other: null, ...before, ...row })
  }
  return [...lines.keys()].sort().map((id) => lines.get(id) as Line)
}
