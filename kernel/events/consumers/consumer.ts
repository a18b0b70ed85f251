import type { Backoff } from '../../async/backoff.ts'
import { coalesce } from '../../async/coalesce.ts'
import { reasonOf } from '../../errors.ts'
import type { ConsumerState } from '../../types/consumers.ts'
import type { Log } from '../../types/driver.ts'
import type { Events, LogEvent } from '../../types/events.ts'
import type { Ownership } from '../../types/ownership.ts'
import type { PluginDb } from '../../types/storage.ts'
import { isIncluded, type OwnLines } from '../tail.ts'
import { type CatchUp, createCatchUps } from './catch-ups.ts'
import type { Cursors } from './cursors.ts'
import { type BoundConsumer, createHandling, endOf } from './handling.ts'

export interface ConsumerParts {
  db: PluginDb
  log: Log
  reader: BoundConsumer
  cursors: Cursors
  lines: OwnLines
  events: Pick<Events, 'after'>
  ownership: Ownership
}

const BATCH = 200
/** How long a caller waits at most until it has caught up. */
const MAX_WAIT_MS = 1_000
/** After an outage it resumes within four seconds. */
const RETRY: Backoff = { first: 200, most: 3_200, jitter: 0.5 }

export type RunningConsumer = ReturnType<typeof createConsumer>

/**
 * One durable consumer.
 *
 *     up to date ── failed, gained, moved, or lines lost from memory ──▶ catching up ── read and handled ──▶ up to date
 *                                                                          │  ▲
 *                                                                          └──┘ failed again: alone, with back-off
 *
 * - Sessions that are up to date share `seq`: new lines come from memory, in batches over all sessions (`handleNew`).
 * - A session that is behind has a catch-up with its own position, read from the table (`handleBehind`). After a failure it
 *   runs alone, one line first, then more; the others are not delayed.
 * - One `turn` runs at a time; commits, gains and due retries request the next one.
 *
 * Invariants: lines of a session are handled in seq order, never two batches at once; a stored cursor never passes a line that
 * was not handled or dead-lettered; a cursor lost in a crash repeats a batch, so handling is at least once.
 */
export function createConsumer(parts: ConsumerParts) {
  const { reader, cursors, lines, db, ownership, log } = parts
  const { name: consumer, batch = BATCH, classes, types } = reader
  const catchUps = createCatchUps({ isAlone: reader.isPerSession ?? false, limit: batch })
  const loop = coalesce(turn, {
    onError: (error) => log.error({ consumer, after: seq, reason: reasonOf(error) }, 'consumer failed'),
    retry: RETRY,
  })
  const handling = createHandling({ ...parts, batch, catchUps, wake: loop.request })
  const { filter } = handling
  /** Lines of this process up to this seq are handled, except in catch-ups. */
  let seq = lines.newest()
  /** Called after each pass. */
  const waiting = new Set<() => void>()

  const isWanted = (session: string): boolean =>
    ownership.owns(session) && (reader.sessions?.(session) ?? true)

  /** Opens catch-ups for the sessions that have lines after their cursors, or after `from`. */
  async function openBehind(from?: number): Promise<void> {
    for (const { session, ...place } of await cursors.positions(from === undefined ? {} : { from })) {
      const catchUp = catchUps.get(session)
      if (catchUp) catchUp.newest = Math.max(catchUp.newest, place.newest)
      else if (place.behind > 0 && isWanted(session)) catchUps.open(session, place)
    }
  }

  /** Reads the missing positions of catch-ups. */
  async function refresh(): Promise<void> {
    const stale = catchUps.stale()
    if (stale.length === 0) return
    const sessions = stale.map(({ session }) => session)
    const found = new Map((await cursors.positions({ sessions })).map((one) => [one.session, one]))
    for (const catchUp of stale) {
      const { newest = 0, behind = 0, seq: stored = 0 } = found.get(catchUp.session) ?? {}
      catchUp.isStale = false
      catchUp.seq ??= stored
      catchUp.newest = Math.max(catchUp.newest, newest)
      catchUp.behind = behind
      if (!isWanted(catchUp.session)) catchUps.close(catchUp.session)
    }
  }

  /** Whether a new line is handled now; a session that is behind leaves its lines to its catch-up. */
  function isReady(line: LogEvent): boolean {
    const { session } = line
    const catchUp = catchUps.get(session)
    if (catchUp) {
      catchUp.behind += line.seq > catchUp.newest ? 1 : 0
      catchUp.newest = Math.max(catchUp.newest, line.seq)
    } else if (isIncluded(line, filter) && isWanted(session)) {
      if (!reader.isPerSession) return true
      catchUps.open(session, { seq: line.seq - 1, newest: line.seq, behind: 1 })
    }
    return false
  }

  /** @returns whether there were any. */
  async function handleNew(): Promise<boolean> {
    const added = lines.own(seq, batch)
    if (!added) {
      const to = lines.since()
      await openBehind(seq)
      seq = to
      return true
    }
    const last = added.at(-1)
    if (!last) return false
    const parts = [...bySession(added.filter(isReady))].map(([session, own]) => {
      const end = endOf(own)
      return { session, lines: own, from: (own[0]?.seq ?? 0) - 1, end, newest: end }
    })
    await handling.together(parts)
    seq = last.seq
    return true
  }

  /** Handles a page of the catch-ups that have not failed. @returns whether there were any. */
  async function handleBehind(): Promise<boolean> {
    const due = catchUps.together().map((catchUp) => ({
      session: catchUp.session,
      from: catchUp.seq ?? 0,
      newest: catchUp.newest,
      catchUp,
    }))
    if (due.length === 0) return false
    const limit = Math.ceil(batch / due.length)
    const read = await lines
      .afterEach(
        due.map(({ session, from }) => [session, from]),
        limit,
        filter,
      )
      .catch((error: unknown) => handling.failed(error))
    // A line that can't be decrypted must not block the other sessions.
    if (!read) for (const { catchUp } of due) catchUp.isAlone = true
    const pages = bySession(read ?? [])
    const parts = due.map((one) => {
      const lines = pages.get(one.session) ?? []
      return { ...one, lines, end: endOf(lines, limit, one.newest) }
    })
    if (read) await handling.together(parts.filter(({ catchUp }) => catchUps.isCurrent(catchUp)))
    return true
  }

  async function turn(): Promise<void> {
    let hadLines = true
    while (hadLines && !loop.isStopped) {
      hadLines = await pass()
      for (const look of waiting) look()
    }
    loop.requestAt(Date.now() + (catchUps.wait() ?? Number.POSITIVE_INFINITY))
  }

  async function pass(): Promise<boolean> {
    if (catchUps.size() > 0) {
      await refresh()
      catchUps.closeUpTo(seq)
    }
    const hadNew = await handleNew()
    if (catchUps.size() === 0) return hadNew
    const hadBehind = await handleBehind()
    handling.startAlone()
    return hadNew || hadBehind
  }

  function stale(session: string, fields: Partial<CatchUp>): void {
    const catchUp = catchUps.get(session)
    if (catchUp) catchUp.isStale = true
    else catchUps.open(session, { ...fields, isStale: true })
    loop.request()
  }
  lines.watchLost((session) => {
    if (isWanted(session)) stale(session, { seq })
  })

  return {
    name: consumer,
    wake: loop.request,
    /** This process has gained the session. */
    gain(session: string): void {
      // A catch-up opened since the loss does not know the lines that were skipped meanwhile; the cursor does.
      catchUps.close(session)
      stale(session, {})
    },
    /** This process has lost the session: its catch-up stops after the current batch. */
    lose: catchUps.close,
    async move(session: string, to: number): Promise<void> {
      await db.write([cursors.move([{ session, end: to }])])
      catchUps.close(session)
      stale(session, { seq: to })
    },
    retry: handling.retry,
    /** Stores the cursors of sessions whose lines it does not receive, so that retention may drop those lines. */
    async skip(): Promise<void> {
      if (!classes && !types && !reader.sessions) return
      const upTo = seq
      const skipped = (await cursors.positions()).filter(
        ({ session, behind, newest }) =>
          behind > 0 && newest <= upTo && !catchUps.get(session) && ownership.owns(session),
      )
      const parts = skipped.map(({ session, newest }) => ({ session, end: newest }))
      if (parts.length > 0) await db.write([cursors.move(parts)])
    },
    caughtUp(): Promise<void> {
      const wanted = lines.newest()
      if (seq >= wanted || loop.isStopped) return Promise.resolve()
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          waiting.delete(look)
          resolve()
        }
        const look = (): void => {
          if (seq >= wanted || loop.isStopped) end()
        }
        const timer = setTimeout(end, MAX_WAIT_MS)
        waiting.add(look)
      })
    },
    state(): ConsumerState {
      const { lag, behind } = catchUps.state()
      return { name: consumer, lag: lag + lines.count(seq), behind }
    },
    /** Opens the catch-ups of sessions that are behind, and begins. */
    async start(): Promise<void> {
      await openBehind()
      loop.request()
    },
    /** Resolves when the current batches have ended. */
    async stop(): Promise<void> {
      await loop.stop()
      await handling.idle()
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
