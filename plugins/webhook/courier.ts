import { type Log, reasonOf } from 'wamux/plugin'
import type { Outcome } from './attempt.ts'
import type { Deliveries, Delivery } from './deliveries.ts'
import { createLanes, type Lane } from './lanes.ts'

/** Works one endpoint's deliveries off: in each lane one after the other, lanes side by side. */
export interface Courier {
  /** New rows, committed, in order. */
  take(fresh: readonly Delivery[]): void
  /** New rows are in the table. */
  look(): void
  /** Looks what can be done. */
  wake(): void
  /** Forgets what it holds and begins at the oldest row; `isEager` tries also those that are not due yet. */
  rewind(isEager: boolean): void
  /** Rows in memory. */
  held(): number
  /** Waits for the requests in hand; what is not done stays pending. */
  stop(): Promise<void>
}

export interface CourierParts {
  endpoint: string
  parallel: number
  deliveries: Deliveries
  log: Log
  /** Rows that may be read into memory now; 0 while nothing may go out. */
  room(): number
  /** Rows up to which new ones stay in memory, where they are already. */
  roomForNew(): number
  /** Whether one more request may go out now. */
  admits(): boolean
  /** Never throws; tells whoever must know of the outcome. */
  attempt(delivery: Delivery): Promise<Outcome>
  /** Commits the outcome; answers how its lane goes on. */
  record(delivery: Delivery, outcome: Outcome, lane: Lane): Promise<Verdict>
}

export type Verdict =
  /** Done with, or dead. */
  | { kind: 'next' }
  /** Again at that time, and nothing of the lane before it. */
  | { kind: 'park'; until: number }
  /** Again at that time, in a lane of its own. */
  | { kind: 'late'; until: number; delivery: Delivery }

/** Rows that one lane is given at once when it comes back. */
const LANE_PAGE = 32
const RETRY_MS = 1_000

export function createCourier(parts: CourierParts): Courier {
  const { endpoint, parallel, deliveries, log } = parts
  const lanes = createLanes()
  const running = new Set<Promise<void>>()
  let requests = 0
  /** Newest row taken into memory or left to a waiting lane. What lies beyond comes with the pages, and only so. */
  let loaded = 0
  /** The table holds rows after that one. */
  let isBehind = true
  /** Count up when rows come that are not taken, and when all begins again: what is being read then is old. */
  let news = 0
  let rewinds = 0
  let isEager = false
  /** The receiver asked for a rest. */
  let restUntil = 0
  let filling: Promise<void> | undefined
  let isAsked = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const isLow = (): boolean => isBehind && room() > 0 && lanes.held() <= room() / 2
  const room = (): number => (Date.now() < restUntil ? 0 : parts.room())

  function wake(): void {
    isAsked = true
    if (isStopped) return
    filling ??= fill()
      .catch((error: unknown) => {
        log.error({ endpoint, reason: reasonOf(error) }, 'deliveries could not be read')
        isAsked = false
        ring(Date.now() + RETRY_MS)
      })
      .finally(() => {
        filling = undefined
        if (isAsked) wake()
      })
  }

  async function fill(): Promise<void> {
    while (isAsked && !isStopped) {
      isAsked = false
      const now = Date.now()
      const due = lanes.ripen(now) ?? Number.POSITIVE_INFINITY
      ring(restUntil > now ? Math.min(due, restUntil) : due)
      if (room() > 0) await refill()
      await loadPages()
      pump()
    }
  }

  async function refill(): Promise<void> {
    for (let lane = lanes.dry(); lane; lane = lanes.dry()) {
      try {
        lanes.refill(lane, await deliveries.pendingOf(endpoint, lane.id, loaded, LANE_PAGE))
      } catch (error) {
        lanes.refill(lane, { rows: [], isLast: false, last: 0 })
        throw error
      }
      pump()
    }
  }

  async function loadPages(): Promise<void> {
    while (isLow() && !isStopped) {
      const before = { news, rewinds }
      const page = await deliveries.pending(endpoint, loaded, lanes.short(), room() - lanes.held())
      if (rewinds !== before.rewinds) continue
      const now = Date.now()
      for (const delivery of page.rows)
        lanes.add(delivery, !isEager && delivery.nextAt > now ? delivery.nextAt : 0)
      loaded = Math.max(loaded, page.last)
      isBehind = !page.isLast || news !== before.news
      pump()
    }
    if (!isBehind) isEager = false
  }

  function pump(): void {
    while (!isStopped && requests < parallel && room() > 0 && parts.admits()) {
      const lane = lanes.begin()
      const head = lane?.queue[0]
      if (!lane || !head) break
      requests += 1
      const work = run(lane, head).finally(() => running.delete(work))
      running.add(work)
    }
  }

  async function run(lane: Lane, delivery: Delivery): Promise<void> {
    const outcome = await parts.attempt(delivery)
    requests -= 1
    if (outcome.kind === 'failed' && outcome.after) restUntil = Date.now() + outcome.after
    // The way is free for another lane; this one goes on when the outcome is committed.
    pump()
    let verdict: Verdict
    try {
      verdict = await parts.record(delivery, outcome, lane)
    } catch (error) {
      // The table can't be written now: the row is as it was, and comes again.
      log.error({ endpoint, seq: delivery.seq, reason: reasonOf(error) }, 'delivery could not be recorded')
      verdict = { kind: 'park', until: Date.now() + RETRY_MS }
    }
    if (verdict.kind === 'park') lanes.park(lane, verdict.until)
    else lanes.next(lane)
    if (verdict.kind === 'late') lanes.add(verdict.delivery, verdict.until)
    pump()
    if (verdict.kind !== 'next' || lane.isShort || isLow()) wake()
  }

  /** Wakes at that time, if nothing does earlier: each look sets it anew. */
  function ring(at: number): void {
    clearTimeout(timer)
    if (at === Number.POSITIVE_INFINITY || isStopped) return
    timer = setTimeout(wake, Math.max(1, at - Date.now()))
  }

  function look(): void {
    isBehind = true
    news += 1
    wake()
  }

  return {
    look,
    wake,
    held: lanes.held,
    take(fresh) {
      if (isBehind || room() === 0 || lanes.held() >= parts.roomForNew()) return look()
      for (const delivery of fresh.filter(({ seq }) => seq > loaded)) {
        loaded = delivery.seq
        lanes.add(delivery, 0)
      }
      pump()
    },
    rewind(eager) {
      lanes.clear()
      loaded = 0
      isBehind = true
      rewinds += 1
      isEager = eager
      wake()
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await filling
      await Promise.all(running)
    },
  }
}
