import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import type { Writer } from '../../../kernel/db/writer.ts'
import { gatewayError } from '../../../kernel/errors.ts'
import { createEventLog, type EventLog } from '../../../kernel/events/log.ts'
import type { LogEvent } from '../../../kernel/plugin.ts'
import type { SessionVault } from '../../../kernel/vault/vault.ts'
import { everyEngine } from '../../support/databases.ts'
import { declared, event, openEventLog } from '../../support/events/event-log.ts'

for (const engine of everyEngine) {
  describe(`event log on ${engine.name}`, () => {
    let database: Database
    let writer: Writer
    let log: EventLog
    let vault: SessionVault

    beforeEach(async () => {
      ;({ database, writer, log, vault } = await openEventLog(engine))
    })
    afterEach(() => database.close())

    it('gives the same event the same id and logs it once', async () => {
      const [first] = await log.append('s', [event('a')], [])
      expect(first?.id).to.match(/^evt_[a-z2-7]{26}$/)
      expect(await log.append('s', [event('a')], [])).to.deep.equal([])
      const [other] = await log.append('t', [event('a')], [])
      expect(other?.id).not.to.equal(first?.id)
      expect(await log.after(0, 10)).to.have.length(2)
    })

    it('commits an event and the rows that belong to it together or not at all', async () => {
      const bad = { table: 'no_such_table', key: ['id'], mode: 'put' as const, rows: [{ id: 1 }] }
      const outcome = await log.append('s', [event('a')], [bad]).then(
        () => 'logged',
        () => 'refused',
      )
      expect(outcome).to.equal('refused')
      expect(await log.after(0, 10)).to.deep.equal([])
    })

    it('drops old lines, but none that a consumer has still to see', async () => {
      await log.append('s', [event('a'), event('b')], [])
      const [first] = await log.after(0, 1)
      await log.append('t', [event('x'), event('y')], [])
      const [x] = await log.after(0, 1, { session: 't' })
      const seq = first?.seq ?? 0
      await writer.write([
        { table: 'consumers', key: ['consumer'], mode: 'put', rows: [{ consumer: 'slow', seq }] },
        {
          table: 'cursors',
          key: ['consumer', 'session'],
          mode: 'put',
          rows: [
            { consumer: 'slow', session: 't', seq: x?.seq ?? 0 },
            { consumer: 'slow', session: 'deleted', seq: 0 },
          ],
        },
      ])
      expect(await log.prune(Date.now() + 1000)).to.equal(2)
      expect((await log.after(0, 10)).map(({ body }) => body['key'])).to.deep.equal(['b', 'y'])
      expect(await database.read('cursors').where({ session: 'deleted' })).to.deep.equal([])
    })

    it('remembers up to where it has dropped lines, and holds no reader back for it', async () => {
      await log.append('s', [event('a'), event('b')], [])
      const [first, second] = await log.after(0, 2)
      await log.append('t', [event('x')], [])
      expect(await log.bounds('s')).to.deep.equal({ dropped: 0, oldest: first?.seq, newest: second?.seq })
      expect(await log.prune(Date.now() + 1000)).to.equal(3)
      expect(await log.bounds('s')).to.deep.equal({ dropped: second?.seq, oldest: 0, newest: 0 })
      await log.append('s', [event('c')], [])
      expect(await log.prune(Date.now() + 1000)).to.equal(1)
    })

    it('reads lines by session, by class and by seq', async () => {
      await log.append('s', [event('a')], [])
      await log.append('t', [event('b')], [])
      const keys = (lines: LogEvent[]): unknown[] => lines.map(({ body }) => body['key'])
      expect(keys(await log.after(0, 10, { session: 't' }))).to.deep.equal(['b'])
      expect(keys(await log.after(0, 10, { classes: ['Message'] }))).to.deep.equal(['a', 'b'])
      expect(keys(await log.after(0, 10, { classes: ['All'] }))).to.deep.equal(['a', 'b'])
      expect(keys(await log.after(0, 10, { classes: ['Presence'] }))).to.deep.equal([])
      const [first, second] = await log.after(0, 2)
      expect(keys(await log.lines([second?.seq ?? 0, first?.seq ?? 0, 999_999]))).to.deep.equal(['a', 'b'])
    })

    it('gives a reader that keeps up what is new without a query, and the same as the table', async () => {
      const [first] = await log.append('s', [event('a')], [])
      await log.append('t', [event('b')], [])
      const [second] = await log.append('t', [event('c')], [])
      const [third] = await log.append('t', [event('d')], [])
      let queries = 0
      database.read.on('query', () => {
        queries += 1
      })
      const newest = await log.after(second?.seq ?? 0, 10, { session: 't' })
      expect(newest.map(({ seq }) => seq)).to.deep.equal([third?.seq])
      expect(queries).to.equal(0)
      expect(await log.lines(newest.map(({ seq }) => seq))).to.deep.equal(newest)
      expect(queries).to.equal(1)
      const all = await log.after(first?.seq ?? 0, 10, { session: 't' })
      expect(all.map(({ body }) => body['key'])).to.deep.equal(['b', 'c', 'd'])
      expect(queries).to.equal(2)
    })

    it('shows readers what was committed though the answer to the commit was lost', async () => {
      let isLost = false
      const lossy: Writer = {
        ...writer,
        async write(...writes) {
          const rows = await writer.write(...writes)
          if (isLost) throw gatewayError('STORAGE_UNAVAILABLE')
          return rows
        },
      }
      const log = createEventLog(database, lossy, declared, vault)
      const [first] = await log.append('s', [event('a')], [])
      isLost = true
      await log.append('s', [event('b')], []).catch(() => undefined)
      isLost = false
      await log.append('s', [event('c')], [])
      const keys = (await log.after(first?.seq ?? 0, 10)).map(({ body }) => body['key'])
      expect(keys).to.deep.equal(['b', 'c'])
    })

    it('ends a reading of the table by bytes, but never before the first line', async () => {
      const other = createEventLog(database, writer, declared, vault)
      const large = (key: string, size: number) => ({ ...event(key), body: { key, text: 'x'.repeat(size) } })
      await other.append('s', [large('a', 1_000), large('b', 1_000), large('c', 9_000), large('d', 10)], [])
      const keys = (lines: readonly LogEvent[]) => lines.map(({ body }) => body['key']).join('')
      const filter = { session: 's', bytes: 3_000 }
      const first = await log.after(0, 10, filter)
      expect(keys(first)).to.equal('ab')
      const second = await log.after(first.at(-1)?.seq ?? 0, 10, filter)
      expect(keys(second), 'alone, since it is larger').to.equal('c')
      expect(keys(await log.after(second.at(-1)?.seq ?? 0, 10, filter))).to.equal('d')
      expect(keys(await log.before(Number.MAX_SAFE_INTEGER, 10, filter))).to.equal('d')
      expect(keys(await log.before(second.at(-1)?.seq ?? 0, 10, filter))).to.equal('ba')
      expect(keys(await log.after(0, 1, filter)), 'by number').to.equal('a')
      expect(await log.after(0, 10, { session: 'none', bytes: 1 })).to.deep.equal([])
    })
  })
}
