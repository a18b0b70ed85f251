import {
  type BoundConsumer,
  isGatewayError,
  isStorageError,
  type Kernel,
  type LogEvent,
  type Ownership,
  reasonOf,
} from 'wamux/plugin'
import type { Cursors, Ends } from './cursors.ts'
import { backoff, type Lane, type Lanes } from './lanes.ts'

/** Lines of one session that are handled, with those of others. */
export interface Part {
  readonly session: string
  readonly lines: readonly LogEvent[]
  /** Its cursor before and after. */
  readonly from: number
  readonly end: number
  readonly newest: number
  /** Absent for lines that this process just logged. */
  readonly lane?: Lane
}

export interface HandlingParts extends Pick<Kernel<unknown>, 'db' | 'log'> {
  reader: BoundConsumer
  batch: number
  cursors: Cursors
  lanes: Lanes
  events: Pick<Kernel<unknown>['events'], 'after'>
  ownership: Ownership
  /** Called when a lane that was handled by itself may go on. */
  wake(): void
}

/** Calls a consumer with lines, and moves the cursors of their sessions with what it writes. */
export function createHandling(parts: HandlingParts) {
  const { reader, batch, cursors, lanes, db, events, ownership, log, wake } = parts
  const { name: consumer, classes, types } = reader
  const filter = { ...(classes ? { classes } : {}), ...(types ? { types } : {}) }
  const working = new Set<Promise<void>>()

  /** If it fails, each of the sessions goes on by itself: which of them is at fault is not known. */
  async function handleTogether(parts: readonly Part[]): Promise<void> {
    const lines = parts.flatMap((part) => part.lines).sort((a, b) => a.seq - b.seq)
    try {
      await handle(lines, parts)
      for (const { lane, lines: own, end } of parts) if (lane) advance(lane, own.length, end)
    } catch (error) {
      failed(error)
      for (const { session, lines: own, from, newest, lane } of parts) {
        if (lanes.get(session) !== lane || !ownership.owns(session)) continue
        const retry = { isAlone: true, limit: 1, error: reasonOf(error), retryAt: Date.now() + backoff(0) }
        const { behind = own.length, isStale = false } = lane ?? {}
        lanes.open(session, { seq: from, newest, behind, isStale, ...retry })
      }
    }
  }

  async function handleAlone(lane: Lane): Promise<void> {
    const { session, seq: from = 0, newest, limit } = lane
    let lines: LogEvent[] = []
    try {
      lines = await events.after(from, limit, { ...filter, session })
      if (!lanes.isCurrent(lane)) return
      const end = endOf(lines, limit, newest)
      await handle(lines, [{ session, end }])
      advance(lane, lines.length, end)
      lane.limit = Math.min(batch, limit * 2)
    } catch (error) {
      failed(error, session)
      const isRefused = lines.length === 1 && !isOutage(error)
      lane.failures += 1
      lane.refused += isRefused ? 1 : 0
      Object.assign(lane, { limit: 1, error: reasonOf(error), retryAt: Date.now() + backoff(lane.failures) })
      const { after = Number.POSITIVE_INFINITY } = reader.deadLetter ?? {}
      if (lines[0] && isRefused && lane.refused >= after) await bury(lane, lines[0], reasonOf(error))
    }
  }

  async function bury(lane: Lane, line: LogEvent, reason: string): Promise<void> {
    const { session, seq: end, id: event } = line
    await db.write([cursors.addDeadLetter(line, lane.refused, reason), cursors.move([{ session, end }])])
    log.error({ consumer, session, event, reason }, 'event dead-lettered')
    advance(lane, 1, end)
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
          wake()
        })
      working.add(work)
    }
  }

  function advance(lane: Lane, count: number, end: number): void {
    const behind = end < lane.newest ? Math.max(1, lane.behind - count) : 0
    Object.assign(lane, { seq: end, behind, failures: 0, refused: 0, error: '', retryAt: 0 })
    lanes.rotate(lane)
  }

  /** Rejects when the consumer or the storage failed. */
  async function handle(lines: readonly LogEvent[], parts: Ends): Promise<void> {
    if (parts.length === 0) return
    const writes = (lines.length > 0 && (await reader.handle(lines))) || []
    const moved = [...writes, cursors.move(parts)]
    if (writes.length > 0) await db.write(moved)
    // A cursor that a crash loses only repeats the batch.
    else db.write(moved, { isDeferred: true }).catch(cursorLost)
  }

  function cursorLost(error: unknown): void {
    // The node that serves the session now has a cursor of its own, and repeats the batch.
    const isMoved = isGatewayError(error) && error.code === 'FENCED'
    log[isMoved ? 'debug' : 'error']({ consumer, reason: reasonOf(error) }, 'cursor write failed')
  }

  /** An outage is no fault of a session: it is thrown on, and everything is tried again. */
  function failed(error: unknown, session?: string): void {
    if (isOutage(error) && session === undefined) throw error
    log.error({ consumer, ...(session ? { session } : {}), reason: reasonOf(error) }, 'consumer failed')
  }

  return {
    together: handleTogether,
    failed,
    startAlone,
    /** What the consumer gets of a session that is being read. */
    filter,
    async retry(event: LogEvent): Promise<void> {
      const writes = (await reader.handle([event])) ?? []
      await db.write([...writes, cursors.removeDeadLetter(event)])
    },
    /** Resolves when the lanes that are handled by themselves have ended their batch. */
    idle: () => Promise.all(working),
  }
}

/** The cursor after a page: a short one has all lines that a filter lets pass, up to the newest that was known. */
export function endOf(page: readonly LogEvent[], limit = 0, newest = 0): number {
  const last = page.at(-1)?.seq ?? 0
  return page.length < limit ? Math.max(last, newest) : last
}

/** Whether the storage, or what the consumer needs, is down: no event is at fault. */
export function isOutage(error: unknown): boolean {
  return isStorageError(error) || (isGatewayError(error) && error.code === 'PLUGIN_UNAVAILABLE')
}
