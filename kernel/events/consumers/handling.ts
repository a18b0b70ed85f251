import { type Backoff, backoff } from '../../async/backoff.ts'
import type { Attempt } from '../../attempt.ts'
import { isFenced, isGatewayError, isStorageError, reasonOf } from '../../errors.ts'
import type { Consumer } from '../../types/consumers.ts'
import type { Log } from '../../types/driver.ts'
import type { Events, LogEvent } from '../../types/events.ts'
import type { Ownership } from '../../types/ownership.ts'
import type { PluginDb, Write } from '../../types/storage.ts'
import type { CatchUp, CatchUps } from './catch-ups.ts'
import type { Cursors, Ends } from './cursors.ts'

/** A plugin's consumer, called with the plugin's dependencies. */
export interface BoundConsumer extends Omit<Consumer<never>, 'handle' | 'sessions'> {
  /** The plugin's name, under which the cursors are stored; the same across restarts. */
  readonly name: string
  handle(events: readonly LogEvent[], attempt: Attempt): Promise<readonly Write[] | void>
  sessions?(session: string): boolean
}

/** The lines of one session within a batch. */
interface Part {
  readonly session: string
  readonly lines: readonly LogEvent[]
  /** Its cursor before and after. */
  readonly from: number
  readonly end: number
  readonly newest: number
  /** Absent for lines that this process has just logged. */
  readonly catchUp?: CatchUp
}

export interface HandlingParts {
  db: PluginDb
  log: Log
  reader: BoundConsumer
  batch: number
  cursors: Cursors
  catchUps: CatchUps
  events: Pick<Events, 'after'>
  ownership: Ownership
  /** Called when a catch-up that is handled alone may continue. */
  wake(): void
}

const RETRY: Backoff = { first: 200, most: 30_000, jitter: 0.5 }

/** Calls a consumer with lines, and commits the cursors of their sessions together with its writes. */
export function createHandling(parts: HandlingParts) {
  const { reader, batch, cursors, catchUps, db, events, ownership, log, wake } = parts
  const { name: consumer, classes, types } = reader
  const filter = { ...(classes ? { classes } : {}), ...(types ? { types } : {}) }
  const working = new Set<Promise<void>>()

  /** If it fails, each session continues separately, since it is unknown which one is at fault. */
  async function handleTogether(parts: readonly Part[]): Promise<void> {
    const lines = parts.flatMap((part) => part.lines).sort((a, b) => a.seq - b.seq)
    try {
      await handle(lines, parts, 1)
      for (const { catchUp, lines: own, end } of parts) if (catchUp) advance(catchUp, own.length, end)
    } catch (error) {
      failed(error)
      for (const { session, lines: own, from, newest, catchUp } of parts) {
        if (catchUps.get(session) !== catchUp || !ownership.owns(session)) continue
        const retry = {
          isAlone: true,
          limit: 1,
          failures: 1,
          error: reasonOf(error),
          retryAt: Date.now() + backoff(RETRY, 0),
        }
        const { behind = own.length, isStale = false } = catchUp ?? {}
        catchUps.open(session, { seq: from, newest, behind, isStale, ...retry })
      }
    }
  }

  async function handleAlone(catchUp: CatchUp): Promise<void> {
    const { session, seq: from = 0, newest, limit } = catchUp
    let lines: LogEvent[] = []
    try {
      lines = await events.after(from, limit, { ...filter, session })
      if (!catchUps.isCurrent(catchUp)) return
      const end = endOf(lines, limit, newest)
      await handle(lines, [{ session, end }], catchUp.failures + 1)
      advance(catchUp, lines.length, end)
      catchUp.limit = Math.min(batch, limit * 2)
    } catch (error) {
      failed(error, session)
      const isRefused = lines.length === 1 && !isOutage(error)
      catchUp.failures += 1
      catchUp.refused += isRefused ? 1 : 0
      const retryAt = Date.now() + backoff(RETRY, catchUp.failures)
      Object.assign(catchUp, { limit: 1, error: reasonOf(error), retryAt })
      const { after = Number.POSITIVE_INFINITY } = reader.deadLetter ?? {}
      if (lines[0] && isRefused && catchUp.refused >= after)
        await deadLetter(catchUp, lines[0], reasonOf(error))
    }
  }

  async function deadLetter(catchUp: CatchUp, line: LogEvent, reason: string): Promise<void> {
    const { session, seq: end, id: event } = line
    await db.write([cursors.addDeadLetter(line, catchUp.refused, reason), cursors.move([{ session, end }])])
    log.error({ consumer, session, event, reason }, 'event dead-lettered')
    advance(catchUp, 1, end)
  }

  function startAlone(): void {
    for (const catchUp of catchUps.alone()) {
      catchUp.isBusy = true
      const work = handleAlone(catchUp)
        .catch((error: unknown) => failed(error, catchUp.session))
        .finally(() => {
          catchUp.isBusy = false
          catchUps.rotate(catchUp)
          working.delete(work)
          wake()
        })
      working.add(work)
    }
  }

  function advance(catchUp: CatchUp, count: number, end: number): void {
    const behind = end < catchUp.newest ? Math.max(1, catchUp.behind - count) : 0
    Object.assign(catchUp, { seq: end, behind, failures: 0, refused: 0, error: '', retryAt: 0 })
    catchUps.rotate(catchUp)
  }

  /** Rejects when the consumer or the storage failed. */
  async function handle(lines: readonly LogEvent[], parts: Ends, number: number): Promise<void> {
    if (parts.length === 0) return
    const attempt = { number, isManual: false }
    const writes = (lines.length > 0 && (await reader.handle(lines, attempt))) || []
    const moved = [...writes, cursors.move(parts)]
    if (writes.length > 0) await db.write(moved)
    // A cursor that a crash loses only repeats the batch.
    else db.write(moved, { isDeferred: true }).catch(cursorLost)
  }

  function cursorLost(error: unknown): void {
    // The process that now serves the session has its own cursor and repeats the batch.
    const isMoved = isFenced(error)
    log[isMoved ? 'debug' : 'error']({ consumer, reason: reasonOf(error) }, 'cursor write failed')
  }

  /** An outage is no session's fault: it is rethrown, and everything is tried again. */
  function failed(error: unknown, session?: string): void {
    if (isOutage(error) && session === undefined) throw error
    log.error({ consumer, ...(session ? { session } : {}), reason: reasonOf(error) }, 'consumer failed')
  }

  return {
    together: handleTogether,
    failed,
    startAlone,
    /** The lines of a page that the consumer receives. */
    filter,
    async retry(event: LogEvent): Promise<void> {
      const attempts = await cursors.attemptsOf(event)
      const attempt: Attempt = { number: attempts + 1, isManual: true }
      try {
        const writes = (await reader.handle([event], attempt)) ?? []
        await db.write([...writes, cursors.removeDeadLetter(event)])
      } catch (error) {
        if (attempts > 0 && !isOutage(error))
          await db.write([cursors.addDeadLetter(event, attempt.number, reasonOf(error))])
        throw error
      }
    },
    /** Resolves when the catch-ups that are handled alone have finished their batch. */
    idle: () => Promise.all(working),
  }
}

/** The cursor after a page: a short page has all lines that pass the filter, up to the newest known one. */
export function endOf(page: readonly LogEvent[], limit = 0, newest = 0): number {
  const last = page.at(-1)?.seq ?? 0
  return page.length < limit ? Math.max(last, newest) : last
}

/** Whether the storage or a dependency of the consumer is down: no event is at fault. */
function isOutage(error: unknown): boolean {
  return isStorageError(error) || (isGatewayError(error) && error.code === 'PLUGIN_UNAVAILABLE')
}
