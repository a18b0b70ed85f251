import type { AutoResetEvent } from '../async/auto-reset-event.ts'
import { isStorageError } from '../db/storage-error.ts'
import type { Writer } from '../db/writer.ts'
import { reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type { Consumer, ConsumerState, LogEvent } from '../types/events.ts'
import type { Ownership } from '../types/ownership.ts'
import type { Write } from '../types/storage.ts'
import { backoff, createLanes, type Lane } from './lanes.ts'
import type { EventLog } from './log.ts'
import { isIncluded } from './tail.ts'

export interface Reader extends Pick<Consumer<never>, 'classes' | 'types' | 'isPerSession' | 'deadLetter'> {
  /** Names the cursors; stays the same over restarts. */
  name: string
  batch: number
  handle(events: readonly LogEvent[]): Promise<readonly Write[] | void>
  sessions?(session: string): boolean
}

export interface ConsumerParts {
  reader: Reader
  /** The cursor of sessions that have none of their own. */
  start: number
  eventLog: EventLog
  writer: Writer
  ownership: () => Ownership
  log: Log
  wakeUp: AutoResetEvent
}

/** One durable consumer: the lines of this process as they come, and the lanes of the sessions that are behind them. */
export interface RunningConsumer {
  readonly name: string
  /** The session became this process's own. */
  gain(session: string): void
  /** It is no longer: its lane stops after the batch under way. */
  lose(session: string): void
  move(session: string, seq: number): Promise<void>
  retry(event: LogEvent): Promise<void>
  /** Stores the cursors of sessions whose lines it does not get, so that retention may drop these. */
  skip(): Promise<void>
  state(): ConsumerState
  /** Opens the lanes of sessions that are behind. */
  open(): Promise<void>
  /** Runs until `stop`; resolves when the batches under way have ended. */
  run(): Promise<void>
  stop(): void
}

type Ends = readonly (readonly [session: string, seq: number])[]

export function createConsumer(parts: ConsumerParts): RunningConsumer {
  const { reader, eventLog, writer, ownership, log, wakeUp } = parts
  const { name: consumer, batch, classes, types } = reader
  const cursor = { consumer, seq: parts.start }
  const filter = { ...(classes ? { classes } : {}), ...(types ? { types } : {}) }
  const lanes = createLanes({ isAlone: reader.isPerSession ?? false, limit: batch })
  const working = new Set<Promise<void>>()
  /** Lines of this process up to this seq are handled, but for those of lanes. */
  let seq = eventLog.own.newest()
  let isStopping = false

  /** Opens lanes for the sessions that have lines after their cursors, or after `from`. */
  async function openBehind(from?: number): Promise<void> {
    for (const { session, ...place } of await eventLog.positions(cursor, from === undefined ? {} : { from }))
      if (place.behind > 0 && isWanted(session) && !lanes.get(session)) lanes.open(session, place)
  }

  async function refresh(): Promise<void> {
    const stale = lanes.stale()
    if (stale.length === 0) return
    const sessions = stale.map(({ session }) => session)
    const found = new Map((await eventLog.positions(cursor, { sessions })).map((one) => [one.session, one]))
    for (const lane of stale) {
      const { newest = 0, behind = 0, seq: stored = 0 } = found.get(lane.session) ?? {}
      Object.assign(lane, {
        isStale: false,
        newest: Math.max(lane.newest, newest),
        behind,
        seq: lane.seq ?? stored,
      })
    }
  }

  const isWanted = (session: string): boolean =>
    ownership().owns(session) && (reader.sessions?.(session) ?? true)

  /** Whether a new line is handled now; those of a session that is behind are left to its lane. */
  function isReady(line: LogEvent): boolean {
    const { session } = line
    const lane = lanes.get(session)
    if (lane) {
      lane.behind += line.seq > lane.newest ? 1 : 0
      lane.newest = Math.max(lane.newest, line.seq)
    } else if (isIncluded(line, filter) && isWanted(session)) {
      if (!reader.isPerSession) return true
      lanes.open(session, { seq: line.seq - 1, newest: line.seq, behind: 1 })
    }
    return false
  }

  /** @returns whether there were any. */
  async function handleNew(): Promise<boolean> {
    const lines = eventLog.own.own(seq, batch)
    if (!lines) {
      const to = eventLog.own.since()
      await openBehind(seq)
      seq = to
      return true
    }
    const last = lines.at(-1)
    if (!last) return false
    const ready = lines.filter(isReady)
    const each = [...bySession(ready)]
    const ends = each.map(([session, own]) => [session, endOf(own)] as const)
    await handle(ready, ends).catch((error: unknown) => {
      failed(error)
      const retryAt = Date.now() + backoff(0)
      for (const [session, own] of each) {
        if (!ownership().owns(session) || lanes.get(session)) continue
        const fields = { seq: (own[0]?.seq ?? 0) - 1, newest: endOf(own), behind: own.length }
        lanes.open(session, { ...fields, isAlone: true, limit: 1, error: reasonOf(error), retryAt })
      }
    })
    seq = last.seq
    return true
  }

  /** Handles a page of the lanes that have not failed. @returns whether there were any. */
  async function handleTogether(): Promise<boolean> {
    const due = lanes.together().map((lane) => ({ ...lane, lane }))
    if (due.length === 0) return false
    const limit = Math.ceil(batch / due.length)
    const lines = await eventLog.afterEach(
      due.map(({ session, seq = 0 }) => [session, seq]),
      limit,
      filter,
    )
    const pages = bySession(lines)
    const current = due
      .filter(({ lane }) => lanes.isCurrent(lane))
      .map(({ lane, session, newest }) => {
        const page = pages.get(session) ?? []
        return { lane, count: page.length, end: endOf(page, limit, newest) }
      })
    const ends = current.map(({ lane, end }) => [lane.session, end] as const)
    try {
      const sessions = new Set(ends.map(([session]) => session))
      await handle(
        lines.filter(({ session }) => sessions.has(session)),
        ends,
      )
      for (const { lane, count, end } of current) advance(lane, count, end)
    } catch (error) {
      failed(error)
      const retryAt = Date.now() + backoff(0)
      for (const { lane } of current)
        Object.assign(lane, { isAlone: true, limit: 1, retryAt, error: reasonOf(error) })
    }
    return true
  }

  async function handleAlone(lane: Lane): Promise<void> {
    const { session, seq = 0, newest, limit } = lane
    let page: LogEvent[] = []
    try {
      page = await eventLog.after(seq, limit, { ...filter, session })
      if (!lanes.isCurrent(lane)) return
      const end = endOf(page, limit, newest)
      await handle(page, [[session, end]])
      advance(lane, page.length, end)
      lane.limit = Math.min(batch, limit * 2)
    } catch (error) {
      failed(error, session)
      if (page.length === 1) lane.failures += 1
      Object.assign(lane, { limit: 1, error: reasonOf(error), retryAt: Date.now() + backoff(lane.failures) })
      const { after = Number.POSITIVE_INFINITY } = reader.deadLetter ?? {}
      if (page[0] && lane.failures >= after && !isStorageError(error)) await bury(lane, page[0], error)
    }
  }

  async function bury(lane: Lane, line: LogEvent, error: unknown): Promise<void> {
    const letter = eventLog.deadLetter(consumer, line, lane.failures, reasonOf(error))
    await writer.write([letter, cursorWrite([[line.session, line.seq]])])
    log.error(
      { consumer, session: line.session, event: line.id, reason: reasonOf(error) },
      'event dead-lettered',
    )
    advance(lane, 1, line.seq)
  }

  function startAlone(): void {
    for (const lane of lanes.alone()) {
      lane.isBusy = true
      const work = handleAlone(lane)
        .catch((error: unknown) => failed(error, lane.session))
        .finally(() => {
          lane.isBusy = false
          lanes.rotate(lane)
          working.delete(work)
          wakeUp.set()
        })
      working.add(work)
    }
  }

  function advance(lane: Lane, count: number, end: number): void {
    const behind = end < lane.newest ? Math.max(1, lane.behind - count) : 0
    Object.assign(lane, { seq: end, behind, failures: 0, error: '', retryAt: 0 })
    lanes.rotate(lane)
  }

  /** Rejects when the consumer or the storage failed. */
  async function handle(lines: readonly LogEvent[], ends: Ends): Promise<void> {
    if (ends.length === 0) return
    const writes = (lines.length > 0 && (await reader.handle(lines))) || []
    const moved = [...writes, cursorWrite(ends)]
    if (writes.length > 0) await writer.write(moved)
    // A cursor that a crash loses only repeats the batch.
    else writer.write(moved, { isDeferred: true }).catch(cursorLost)
  }

  function cursorWrite(ends: Ends): Write {
    const rows = ends.map(([session, seq]) => ({ consumer, session, seq }))
    return { table: 'lanes', key: ['consumer', 'session'], mode: 'put', rows }
  }

  function cursorLost(error: unknown): void {
    log.error({ consumer, reason: reasonOf(error) }, 'cursor write failed')
  }

  /** A storage that fails is no fault of a session: it is thrown on, and everything is tried again. */
  function failed(error: unknown, session?: string): void {
    if (isStorageError(error) && session === undefined) throw error
    log.error({ consumer, ...(session ? { session } : {}), reason: reasonOf(error) }, 'consumer failed')
  }

  async function pass(): Promise<boolean> {
    await refresh()
    lanes.closeUpTo(seq)
    const hadNew = await handleNew()
    const hadBehind = await handleTogether()
    startAlone()
    return hadNew || hadBehind
  }

  function stale(session: string, fields: Partial<Lane>): void {
    const lane = lanes.get(session)
    if (lane) lane.isStale = true
    else lanes.open(session, { ...fields, isStale: true })
    wakeUp.set()
  }
  eventLog.watchLost((session) => stale(session, { seq }))

  return {
    name: consumer,
    gain: (session) => stale(session, {}),
    lose: lanes.close,
    async move(session, to) {
      lanes.close(session)
      stale(session, { seq: to })
      await writer.write([cursorWrite([[session, to]])])
    },
    async retry(event) {
      const writes = (await reader.handle([event])) ?? []
      const rows = [{ seq: event.seq, consumer }]
      await writer.write([
        ...writes,
        { table: 'dead_letters', key: ['seq', 'consumer'], mode: 'remove', rows },
      ])
    },
    async skip() {
      if (!classes && !types && !reader.sessions) return
      const upTo = seq
      const ends = (await eventLog.positions(cursor, {}))
        .filter(({ session, behind, newest }) => behind > 0 && newest <= upTo && !lanes.get(session))
        .filter(({ session }) => ownership().owns(session))
        .map(({ session, newest }) => [session, newest] as const)
      if (ends.length > 0) await writer.write([cursorWrite(ends)])
    },
    state() {
      const { lag, lanes: slowest } = lanes.state()
      return { name: consumer, lag: lag + eventLog.own.count(seq), lanes: slowest }
    },
    open: () => openBehind(),
    async run() {
      let failures = 0
      while (!isStopping) {
        try {
          const isIdle = !(await pass())
          failures = 0
          if (isIdle && !isStopping) await wakeUp.wait(lanes.wait())
        } catch (error) {
          const wait = backoff(failures)
          failures += 1
          log.error({ consumer, after: seq, wait, reason: reasonOf(error) }, 'consumer failed')
          await wakeUp.wait(wait)
        }
      }
      await Promise.all(working)
    },
    stop() {
      isStopping = true
      wakeUp.set()
    },
  }
}

function bySession(lines: readonly LogEvent[]): Map<string, LogEvent[]> {
  const found = new Map<string, LogEvent[]>()
  for (const line of lines) {
    const own = found.get(line.session)
    if (own) own.push(line)
    else found.set(line.session, [line])
  }
  return found
}

/** The cursor after a page: a short one has all lines that a filter lets pass, up to the newest that was known. */
function endOf(page: readonly LogEvent[], limit = 0, newest = 0): number {
  const last = page.at(-1)?.seq ?? 0
  return page.length < limit ? Math.max(last, newest) : last
}
