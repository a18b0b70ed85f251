import { expect } from 'chai'
import type { Database } from '../../../../kernel/db/database.ts'
import type { Writer } from '../../../../kernel/db/writer.ts'
import { gatewayError } from '../../../../kernel/errors.ts'
import type { BoundConsumer } from '../../../../kernel/events/consumers/handling.ts'
import type { EventLog } from '../../../../kernel/events/log.ts'
import type { LogEvent, Vault } from '../../../../kernel/plugin.ts'
import type { Write } from '../../../../kernel/types/storage.ts'
import { everyEngine } from '../../../support/databases.ts'
import { deferred } from '../../../support/deferred.ts'
import { createTestRunner, type TestRunner } from '../../../support/events/consumers.ts'
import { event, openEventLog } from '../../../support/events/event-log.ts'
import { eventually } from '../../../support/eventually.ts'

for (const engine of everyEngine) {
  describe(`consumers on ${engine.name}`, () => {
    let database: Database
    let writer: Writer
    let log: EventLog
    let vault: Vault
    const running: TestRunner[] = []
    const keysOf = (events: readonly LogEvent[]) => events.map(({ body }) => String(body['key']))

    beforeEach(async () => {
      ;({ database, writer, log, vault } = await openEventLog(engine))
    })
    afterEach(async () => {
      for (const consumers of running.splice(0)) await consumers.stop()
      await writer.settled()
      await database.close()
    })

    async function start(
      handle: BoundConsumer['handle'],
      options: Partial<BoundConsumer> = {},
    ): Promise<TestRunner> {
      const consumers = createTestRunner({ database, writer, log, vault })
      running.push(consumers)
      await consumers.start({ name: 'c', batch: 10, handle, ...options })
      return consumers
    }
    /** Logs events as the bus does, a commit each. */
    async function add(consumers: TestRunner, session: string, ...keys: string[]): Promise<LogEvent[]> {
      const lines: LogEvent[] = []
      for (const key of keys) lines.push(...(await log.append(session, [event(key)], [])))
      consumers.wake()
      return lines
    }
    const cursorOf = async (session: string) =>
      Number((await database.read('cursors').where({ consumer: 'c', session }).first())?.seq)

    it('shows every line to a consumer at least once, over failures and restarts', async () => {
      const seen: unknown[] = []
      let failures = 2
      const consume = async (events: readonly LogEvent[]) => {
        if (failures-- > 0) throw new Error('not now')
        seen.push(...keysOf(events))
      }
      const first = await start(consume, { batch: 2 })
      await add(first, 's', '1', '2', '3')
      await eventually(() => seen.length >= 3, 'shown 3 lines')
      await first.stop()
      await log.append('s', [event('4')], [])
      await start(consume, { batch: 2 })
      await eventually(() => seen.length >= 4, 'shown 4 lines')
      expect(seen).to.deep.equal(['1', '2', '3', '4'])
    })

    it('says when it has handled what was logged', async () => {
      const gate = deferred<void>()
      const seen: unknown[] = []
      const consumers = await start(async (events) => {
        await gate.promise
        seen.push(...keysOf(events))
      })
      await consumers.caughtUp('c')
      await add(consumers, 's', '1')
      const caughtUp = consumers.caughtUp('c').then(() => [...seen])
      gate.resolve()
      expect(await caughtUp).to.deep.equal(['1'])
    })

    it('starts a new consumer at the end of the log', async () => {
      await log.append('s', [event('old')], [])
      const seen = deferred<unknown[]>()
      const consumers = await start(async (events) => seen.resolve(keysOf(events)))
      await add(consumers, 's', 'new')
      expect(await seen.promise).to.deep.equal(['new'])
    })

    it('commits the writes of a batch together with its cursor', async () => {
      const rows = [{ consumer: 'x', seq: 7 }]
      const row: Write = { table: 'consumers', key: ['consumer'], mode: 'put', rows }
      const handled = deferred<number>()
      const consumers = await start(async (events) => {
        handled.resolve(events[0]?.seq ?? 0)
        return [row]
      })
      await add(consumers, 's', 'a')
      const seq = await handled.promise
      await consumers.stop()
      expect(Number((await database.read('consumers').where({ consumer: 'x' }).first()).seq)).to.equal(7)
      expect(await cursorOf('s')).to.equal(seq)
    })

    it('goes on with the one cursor that consumers had before, repeating and losing nothing', async () => {
      const lines = [
        ...(await log.append('s', [event('1')], [])),
        ...(await log.append('t', [event('2')], [])),
      ]
      const [first] = lines
      await log.append('s', [event('3')], [])
      const rows = [{ consumer: 'c', seq: first?.seq ?? 0 }]
      await writer.write([{ table: 'consumers', key: ['consumer'], mode: 'put', rows }])
      const seen: string[] = []
      await start(async (events) => void seen.push(...keysOf(events)))
      await eventually(() => seen.length === 2, 'shown 2 lines')
      expect(seen).to.deep.equal(['2', '3'])
    })

    it('repeats one batch after a crash before its cursor was committed', async () => {
      const seen: string[] = []
      let isCut = false
      const cut: Writer = {
        ...writer,
        write: (writes, options) =>
          isCut && options?.isDeferred ? new Promise(() => undefined) : writer.write(writes, options),
      }
      const first = createTestRunner({ database, writer: cut, log, vault })
      running.push(first)
      await first.start({ name: 'c', batch: 2, handle: async (events) => void seen.push(...keysOf(events)) })
      const lines = await add(first, 's', '1', '2')
      await eventually(async () => (await cursorOf('s')) === lines.at(-1)?.seq, 'cursor committed')
      isCut = true
      await add(first, 's', '3')
      await eventually(() => seen.length === 3, 'handled')
      await first.stop()
      await start(async (events) => void seen.push(...keysOf(events)))
      await eventually(() => seen.length === 4, 'repeated')
      expect(seen).to.deep.equal(['1', '2', '3', '3'])
    })

    it('handles what waits in many sessions in few batches', async () => {
      const first = await start(async () => undefined)
      await first.stop()
      for (const key of ['1', '2', '3'])
        for (const session of ['s', 't']) await log.append(session, [event(key)], [])
      const batches: string[][] = []
      await start(async (events) => void batches.push(events.map(({ session }) => session)))
      await eventually(() => batches.flat().length === 6, 'all handled')
      expect(batches.map((batch) => batch.join(''))).to.deep.equal(['ststst'])
    })

    it('holds no session back for an event of another that is refused, and keeps the order in each', async () => {
      const seen: string[] = []
      const consumers = await start(async (events) => {
        if (events.some(({ body }) => body['key'] === 'poison')) throw new Error('poison')
        seen.push(...keysOf(events))
      })
      await add(consumers, 's', 's1', 'poison', 's2')
      await add(consumers, 't', 't1', 't2')
      await add(consumers, 's', 's3')
      await eventually(() => seen.includes('t2') && seen.includes('s1'), 'the rest is handled')
      await add(consumers, 't', 't3')
      await eventually(() => seen.includes('t3'), 'the other session goes on')
      expect(seen.filter((key) => key.startsWith('t'))).to.deep.equal(['t1', 't2', 't3'])
      expect(seen.filter((key) => key.startsWith('s'))).to.deep.equal(['s1'])
      await eventually(() => (consumers.list()[0]?.behind[0]?.failures ?? 0) > 0, 'failures are counted')
      const [state] = consumers.list()
      expect(state).to.include({ name: 'c', lag: 3 })
      expect(state?.behind[0]).to.deep.include({ session: 's', lag: 3, error: 'poison' })
      expect(consumers.lag()).to.deep.equal({ c: 3 })
    })

    it('holds no session back for another that is slow, if the consumer takes sessions on their own', async () => {
      const seen: string[] = []
      const slow = deferred<void>()
      const handle = async (events: readonly LogEvent[]) => {
        if (events[0]?.session === 's') await slow.promise
        seen.push(...keysOf(events))
      }
      const consumers = await start(handle, { isPerSession: true })
      await add(consumers, 's', 's1', 's2')
      await add(consumers, 't', 't1')
      await eventually(() => seen.includes('t1'), 'the other session is handled')
      expect(seen).to.deep.equal(['t1'])
      slow.resolve()
      await eventually(() => seen.length === 3, 'all handled')
      expect(seen).to.deep.equal(['t1', 's1', 's2'])
      await add(consumers, 's', 's3')
      await eventually(() => seen.length === 4, 'the next one')
    })

    it('stores an event as a dead letter once it was refused as often as the consumer says', async () => {
      const seen: string[] = []
      let isPoison = true
      const handle = async (events: readonly LogEvent[]) => {
        if (isPoison && keysOf(events).includes('poison')) throw new Error('no such room')
        seen.push(...keysOf(events))
      }
      const consumers = await start(handle, { deadLetter: { after: 3 } })
      const [poison] = await add(consumers, 's', 'poison', 'next')
      await eventually(() => seen.includes('next'), 'the next one is handled')
      const letter = await database.read('dead_letters').first()
      expect(letter).to.include({ consumer: 'c', session: 's', attempts: 3 })
      expect(Number(letter.seq)).to.equal(poison?.seq)
      expect(String(letter.error)).not.to.include('room')
      isPoison = false
      if (poison) await consumers.retry('c', poison)
      expect(seen).to.deep.equal(['next', 'poison'])
      expect(await database.read('dead_letters')).to.deep.equal([])
    })

    it('tries everything again once the storage answers, however often that was refused', async () => {
      const seen: string[] = []
      let isAway = true
      const handle = async (events: readonly LogEvent[]) => {
        if (isAway) throw gatewayError('STORAGE_UNAVAILABLE')
        seen.push(...keysOf(events))
      }
      const consumers = await start(handle, { deadLetter: { after: 1 } })
      await add(consumers, 's', '1')
      await add(consumers, 't', '2')
      expect(await database.read('dead_letters')).to.deep.equal([])
      isAway = false
      await eventually(() => seen.length === 2, 'all handled')
      expect(consumers.list()[0]?.behind).to.deep.equal([])
    })

    it('calls a consumer for the sessions, classes and types that it wants only', async () => {
      const seen: string[] = []
      const handle = async (events: readonly LogEvent[]) => void seen.push(...keysOf(events))
      const consumers = await start(handle, { sessions: (session) => session === 't', classes: ['Message'] })
      await consumers.start({ name: 'other', batch: 10, handle, types: ['Other'] })
      const [line] = await add(consumers, 's', 's1')
      await add(consumers, 't', 't1')
      await eventually(() => seen.length === 1, 'handled')
      expect(seen).to.deep.equal(['t1'])
      // Otherwise retention would keep what it never handles.
      let dropped = 0
      await eventually(async () => {
        await consumers.skip()
        dropped += await log.prune(Date.now() + 1000)
        return dropped === 2
      }, 'both are dropped')
      expect(await cursorOf('s')).to.equal(line?.seq)
    })

    it('handles more lines at once than are kept in memory', async () => {
      const seen: string[] = []
      const first = deferred<void>()
      const handle = async (events: readonly LogEvent[]) => {
        await first.promise
        seen.push(...keysOf(events))
      }
      const consumers = await start(handle, { batch: 500 })
      await add(consumers, 's', '0')
      const many = Array.from({ length: 2_500 }, (_, i) => String(i + 1))
      await Promise.all(many.map((key) => log.append(Number(key) % 2 ? 's' : 't', [event(key)], [])))
      consumers.wake()
      first.resolve()
      await eventually(() => seen.length >= 2_501, 'all handled')
      await add(consumers, 't', 'last')
      await eventually(() => seen.includes('last'), 'the last one')
      expect(seen).to.have.length(2_502)
      const odd = seen.filter((key) => Number(key) % 2).map(Number)
      expect(odd).to.deep.equal(odd.toSorted((a, b) => a - b))
    })

    it('moves a cursor back and forth', async () => {
      const seen: string[] = []
      const consumers = await start(async (events) => void seen.push(...keysOf(events)))
      const [first, second] = await add(consumers, 's', '1', '2', '3')
      await add(consumers, 't', 't1')
      await eventually(() => seen.length === 4, 'all handled')
      await consumers.move('c', 's', first?.seq ?? 0)
      await eventually(() => seen.length === 6, 'handled again')
      expect(seen.slice(4)).to.deep.equal(['2', '3'])
      expect(await consumers.move('d', 's', second?.seq ?? 0).catch(String)).to.include('Consumer not found')
    })
  })
}
