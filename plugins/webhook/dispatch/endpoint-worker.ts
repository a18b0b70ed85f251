import { coalesce, inProgress, isFenced, type Log, reasonOf } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { AttemptResult } from '../delivery/attempt.ts'
import type { Deliveries } from '../delivery/deliveries.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { LaneStep, Results } from '../delivery/results.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { DeliveryAttempts } from './attempts.ts'
import type { HostBreakers } from './host-breakers.ts'
import { createLanes, hasBlockedTooLong, type Lane } from './lanes.ts'
import type { PrefetchWindow } from './prefetch-window.ts'
import { createRecent } from './recent.ts'

/**
 * The read position: rows are read from the table up to the oldest row kept in memory, then from memory. New rows move that
 * limit only when memory is full, so a backlog is worked off while events continue. A reset replaces the object, which
 * discards a page requested before.
 */
interface Cursor {
  /** Newest row that is in a lane or in a lane's backlog in the table. */
  seq: number
  /** Whether all rows after it are in memory. */
  isJoined: boolean
  /** Rows not yet due are attempted too. */
  isEager: boolean
}

/** Delivers the rows of one endpoint: one at a time in each lane, lanes in parallel. */
export interface EndpointWorker {
  /** When its last attempt ended, milliseconds since 1970; 0 before the first. */
  readonly lastAttemptAt: number
  /** Adds new committed rows, in order. */
  enqueue(fresh: readonly Delivery[]): void
  /** Says that the table may have rows up to that seq which were not enqueued. */
  markStale(newest: number): void
  /** Says that the table may have older rows than those read last, stored by another process. */
  rewind(): void
  /** Requests a pass, which fills memory with rows and starts requests. */
  schedule(): void
  /** Drops the rows in memory and restarts at the oldest row, including rows that are not due yet. */
  reset(): void
  /** Resolves when the requests in flight have ended; undelivered rows stay pending. */
  stop(): Promise<void>
}

export interface WorkerParts {
  id: string
  config: WebhookConfig
  deliveries: Deliveries
  endpoints: Endpoints
  attempts: DeliveryAttempts
  results: Results
  hostBreakers: HostBreakers
  window: PrefetchWindow
  log: Log
}

/** Page size for reading one lane. */
const LANE_PAGE = 32
const RETRY_MS = 1_000

/**
 * A row is in one of three places: only in the table, in `recent` (just committed, not assigned yet), or in a lane.
 *
 * - `cursor.seq`: every pending row up to it is in a lane or recorded as a lane's backlog. Rows after it are read page by
 *   page (`readPage`) until the cursor reaches the first row of `recent`: then it is joined, and rows come only from memory.
 * - A lane delivers its head, one request at a time. After a failure it waits until the retry is due; the other lanes
 *   continue. A lane that holds only its first rows reads the rest when it runs low (`refillLanes`).
 * - One pass (`reconcile`) runs at a time: release due lanes, refill them, fill up to the capacity, start requests. Everything
 *   else requests a pass. Capacity is 0 while the endpoint is not active, its breaker is open, or Retry-After has not passed.
 *
 * Invariants: rows of one lane are attempted in seq order, and never two at once; a row leaves memory only after its result
 * is committed; rows dropped from memory are read again from the table, so a crash or a lost lease costs repeated requests,
 * not rows.
 */
export function createEndpointWorker(parts: WorkerParts): EndpointWorker {
  const { id, config, deliveries, endpoints, attempts, results, hostBreakers, window, log } = parts
  const lanes = createLanes()
  const recent = createRecent(window.waiting)
  const leaveWindow = window.join(() => lanes.loaded() + recent.size())
  const passes = coalesce(reconcile, {
    onError: (error) => log.error({ endpoint: id, reason: reasonOf(error) }, 'reading deliveries failed'),
    retry: { first: RETRY_MS, most: RETRY_MS },
  })
  const attempting = new Set<Promise<void>>()
  let cursor: Cursor = { seq: 0, isJoined: false, isEager: false }
  /** Seq of the newest row; undefined until read from the table. */
  let newest: number | undefined
  let requests = 0
  /** End of the receiver's Retry-After. */
  let restUntil = 0
  let lastAttemptAt = 0

  const breaker = () => hostBreakers.of(endpoints.byId(id)?.url ?? '')

  /** Number of rows that the lanes may hold, given the limit for a healthy receiver; 0 while no request may start. */
  function capacity(limit: number): number {
    const { state, url } = endpoints.byId(id) ?? {}
    if (!url || state !== 'active' || Date.now() < restUntil) return 0
    const { state: health } = breaker()
    return health === 'open' ? 0 : health === 'half-open' ? 1 : limit
  }
  const mayRequest = () => capacity(1) > 0
  function mayRead(): boolean {
    if (cursor.isJoined && recent.size() === 0) return false
    const limit = capacity(window.size())
    return limit > 0 && lanes.loaded() <= limit / 2
  }

  async function reconcile(): Promise<void> {
    lanes.releaseDue(Date.now())
    if (mayRequest()) await refillLanes()
    await fillLanes()
    startRequests()
    requestWhenDue()
  }

  /**
   * Schedules a pass for the time when the next lane is due. A pass releases lanes only at its beginning: a lane that became
   * due during this pass must still be read.
   */
  function requestWhenDue(): void {
    const due = lanes.nextDue() ?? Number.POSITIVE_INFINITY
    passes.requestAt(restUntil > Date.now() ? Math.min(due, restUntil) : due)
  }

  async function refillLanes(): Promise<void> {
    for (let lane = lanes.underfilled(); lane; lane = lanes.underfilled()) {
      try {
        lanes.refill(lane, await deliveries.pendingOf(id, lane.id, cursor.seq, LANE_PAGE))
      } catch (error) {
        lanes.refill(lane, { rows: [], isLast: false })
        throw error
      }
      startRequests()
    }
  }

  async function fillLanes(): Promise<void> {
    while (mayRead() && !passes.isStopped) {
      if (cursor.isJoined) addRecent()
      else await readPage()
      startRequests()
    }
  }

  function addRecent(): void {
    if (recent.size() === 0) return
    for (const limit = capacity(window.sizeForNew()); lanes.loaded() < limit; ) {
      const delivery = recent.shift()
      if (!delivery) return
      add(delivery)
    }
  }

  /** Rows read from the table before they were enqueued arrive twice. */
  function add(delivery: Delivery): void {
    if (delivery.seq <= cursor.seq) return
    cursor.seq = delivery.seq
    lanes.add(delivery)
  }

  async function readPage(): Promise<void> {
    const before = cursor
    if (newest === undefined) advanceNewest(await deliveries.newest(id))
    const last = lastInTable()
    const limit = capacity(window.size()) - lanes.loaded()
    if (cursor !== before || limit <= 0) return
    const page = await deliveries.pending(id, { after: before.seq, last }, lanes.truncated(), limit)
    if (cursor !== before) return
    const now = Date.now()
    for (const delivery of page.rows) {
      const mustWait = !cursor.isEager && delivery.nextAt > now
      lanes.add(delivery, mustWait ? delivery.nextAt : 0)
    }
    cursor.seq = Math.max(cursor.seq, page.isLast ? last : page.last)
    if (cursor.seq < lastInTable()) return
    cursor.isJoined = true
    cursor.isEager = false
  }

  /** The newest row that exists only in the table. */
  function lastInTable(): number {
    const first = recent.first() ?? Number.POSITIVE_INFINITY
    return Math.min(newest ?? 0, first - 1)
  }

  function advanceNewest(seq: number): void {
    newest = Math.max(newest ?? 0, seq)
  }

  function startRequests(): void {
    while (!passes.isStopped && requests < config.parallel && mayRequest() && breaker().admits()) {
      const next = lanes.begin()
      if (!next) break
      requests += 1
      const work = inProgress(deliver(next.lane, next.head)).finally(() => attempting.delete(work))
      attempting.add(work)
    }
  }

  async function deliver(lane: Lane, delivery: Delivery): Promise<void> {
    const result = await attempts.attempt(delivery)
    requests -= 1
    lastAttemptAt = Date.now()
    if (result.kind === 'failed' && result.after) restUntil = lastAttemptAt + result.after
    // Another lane may use the slot; this one continues when a failure is committed.
    startRequests()
    const step = await record(lane, delivery, result)
    if (step.kind === 'retry') lanes.delay(lane, step.at)
    else lanes.advance(lane)
    if (step.kind === 'detach') lanes.add(step.delivery, step.at)
    if (cursor.isJoined) addRecent()
    startRequests()
    if (step.kind !== 'advance' || lane.backlog !== 'none' || mayRead()) passes.request()
  }

  async function record(lane: Lane, delivery: Delivery, result: AttemptResult): Promise<LaneStep> {
    if (result.kind === 'failed') lane.failingSince ??= Date.now()
    try {
      const isBlocked = hasBlockedTooLong(lane, config.laneBlockSeconds) && breaker().state === 'closed'
      return await results.record(delivery, result, isBlocked)
    } catch (error) {
      // The unchanged row will be read again, by the node that now has the session if this one lost it.
      const level = isFenced(error) ? 'info' : 'error'
      log[level]({ endpoint: id, seq: delivery.seq, reason: reasonOf(error) }, 'recording a delivery failed')
      return { kind: 'retry', at: Date.now() + RETRY_MS }
    }
  }

  function markStale(last: number): void {
    advanceNewest(last)
    recent.clear()
    cursor.isJoined = false
    passes.request()
  }

  return {
    get lastAttemptAt() {
      return lastAttemptAt
    },
    enqueue(fresh) {
      const last = fresh.at(-1)?.seq ?? 0
      // An endpoint that receives nothing keeps nothing in memory.
      if (!mayRequest()) return markStale(last)
      advanceNewest(last)
      const first = recent.first() ?? fresh[0]?.seq
      recent.push(fresh)
      if (recent.first() !== first) cursor.isJoined = false
      if (cursor.isJoined) addRecent()
      startRequests()
      if (!cursor.isJoined) passes.request()
    },
    markStale,
    schedule: passes.request,
    rewind() {
      lanes.rewind()
      recent.clear()
      cursor = { seq: 0, isJoined: false, isEager: cursor.isEager }
      newest = undefined
      passes.request()
    },
    reset() {
      lanes.clear()
      recent.clear()
      cursor = { seq: 0, isJoined: false, isEager: true }
      // Rows that were done may be pending again.
      newest = undefined
      passes.request()
    },
    async stop() {
      leaveWindow()
      await passes.stop()
      await Promise.all(attempting)
    },
  }
}
