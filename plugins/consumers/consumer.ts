import {
  type BoundConsumer,
  type ConsumerState,
  isIncluded,
  type Kernel,
  type LogEvent,
  type Ownership,
  type OwnLines,
  reasonOf,
} from 'wamux/plugin'
import { createAutoResetEvent } from './auto-reset-event.ts'
import type { Cursors } from './cursors.ts'
import { createHandling, endOf } from './handling.ts'
import { backoff, createLanes, type Lane } from './lanes.ts'

export interface ConsumerParts extends Pick<Kernel<unknown>, 'db' | 'log'> {
  reader: BoundConsumer
  cursors: Cursors
  lines: OwnLines
  events: Pick<Kernel<unknown>['events'], 'after'>
  ownership: Ownership
}

const BATCH = 200
/** After an outage it goes on within five seconds. */
const MAX_DOUBLED = 4

export type RunningConsumer = ReturnType<typeof createConsumer>

/** One durable consumer: the lines of this process as they come, and the lanes of the sessions that are behind them. */
export function createConsumer(parts: ConsumerParts) {
  const { reader, cursors, lines, db, ownership, log } = parts
  const { name: consumer, batch = BATCH, classes, types } = reader
  const lanes = createLanes({ isAlone: reader.isPerSession ?? false, limit: batch })
  const wakeUp = createAutoResetEvent()
  const handling = createHandling({ ...parts, batch, lanes, wake: wakeUp.set })
  const { filter } = handling
  /** Lines of this process up to this seq are handled, but for those of lanes. */
  let seq = lines.newest()
  let isStopping = false

  const isWanted = (session: string): boolean =>
    ownership.owns(session) && (reader.sessions?.(session) ?? true)

  /** Opens lanes for the sessions that have lines after their cursors, or after `from`. */
  async function openBehind(from?: number): Promise<void> {
    for (const { session, ...place } of await cursors.positions(from === undefined ? {} : { from })) {
      const lane = lanes.get(session)
      if (lane) lane.newest = Math.max(lane.newest, place.newest)
      else if (place.behind > 0 && isWanted(session)) lanes.open(session, place)
    }
  }

  /** Reads what is not known of lanes. */
  async function refresh(): Promise<void> {
    const stale = lanes.stale()
    if (stale.length === 0) return
    const sessions = stale.map(({ session }) => session)
    const found = new Map((await cursors.positions({ sessions })).map((one) => [one.session, one]))
    for (const lane of stale) {
      const { newest = 0, behind = 0, seq: stored = 0 } = found.get(lane.session) ?? {}
      lane.isStale = false
      lane.seq ??= stored
      lane.newest = Math.max(lane.newest, newest)
      lane.behind = behind
      if (!isWanted(lane.session)) lanes.close(lane.session)
    }
  }

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

  /** Handles a page of the lanes that have not failed. @returns whether there were any. */
  async function handleBehind(): Promise<boolean> {
    const due = lanes
      .together()
      .map((lane) => ({ session: lane.session, from: lane.seq ?? 0, newest: lane.newest, lane }))
    if (due.length === 0) return false
    const limit = Math.ceil(batch / due.length)
    const read = await lines
      .afterEach(
        due.map(({ session, from }) => [session, from]),
        limit,
        filter,
      )
      .catch((error: unknown) => handling.failed(error))
    // A line that can't be opened must not hold the other sessions.
    if (!read) for (const { lane } of due) lane.isAlone = true
    const pages = bySession(read ?? [])
    const parts = due.map((one) => {
      const lines = pages.get(one.session) ?? []
      return { ...one, lines, end: endOf(lines, limit, one.newest) }
    })
    if (read) await handling.together(parts.filter(({ lane }) => lanes.isCurrent(lane)))
    return true
  }

  async function pass(): Promise<boolean> {
    if (lanes.size() > 0) {
      await refresh()
      lanes.closeUpTo(seq)
    }
    const hadNew = await handleNew()
    if (lanes.size() === 0) return hadNew
    const hadBehind = await handleBehind()
    handling.startAlone()
    return hadNew || hadBehind
  }

  function stale(session: string, fields: Partial<Lane>): void {
    const lane = lanes.get(session)
    if (lane) lane.isStale = true
    else lanes.open(session, { ...fields, isStale: true })
    wakeUp.set()
  }
  lines.watchLost((session) => {
    if (isWanted(session)) stale(session, { seq })
  })

  return {
    name: consumer,
    wake: wakeUp.set,
    /** The session became this process's own. */
    gain(session: string): void {
      // One that was opened since it was lost does not know of the lines that were left out meanwhile: the cursor does.
      lanes.close(session)
      stale(session, {})
    },
    /** It is no longer: its lane stops after the batch under way. */
    lose: lanes.close,
    async move(session: string, to: number): Promise<void> {
      await db.write([cursors.move([{ session, end: to }])])
      lanes.close(session)
      stale(session, { seq: to })
    },
    retry: handling.retry,
    /** Stores the cursors of sessions whose lines it does not get, so that retention may drop these. */
    async skip(): Promise<void> {
      if (!classes && !types && !reader.sessions) return
      const upTo = seq
      const skipped = (await cursors.positions()).filter(
        ({ session, behind, newest }) =>
          behind > 0 && newest <= upTo && !lanes.get(session) && ownership.owns(session),
      )
      const parts = skipped.map(({ session, newest }) => ({ session, end: newest }))
      if (parts.length > 0) await db.write([cursors.move(parts)])
    },
    state(): ConsumerState {
      const { lag, lanes: slowest } = lanes.state()
      return { name: consumer, lag: lag + lines.count(seq), lanes: slowest }
    },
    /** Opens the lanes of sessions that are behind. */
    open: () => openBehind(),
    /** Runs until `stop`; resolves when the batches under way have ended. */
    async run(): Promise<void> {
      let failures = 0
      while (!isStopping) {
        try {
          const isIdle = !(await pass())
          failures = 0
          if (isIdle && !isStopping) await wakeUp.wait(lanes.wait())
        } catch (error) {
          const wait = backoff(Math.min(failures, MAX_DOUBLED))
          failures += 1
          log.error({ consumer, after: seq, wait, reason: reasonOf(error) }, 'consumer failed')
          const end = Date.now() + wait
          // New lines must not make it try more often.
          while (!isStopping && Date.now() < end) await wakeUp.wait(end - Date.now())
        }
      }
      await handling.idle()
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
