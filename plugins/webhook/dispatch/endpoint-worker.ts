import { type Log, reasonOf } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { Outcome } from '../delivery/attempt.ts'
import type { Deliveries, Delivery } from '../delivery/deliveries.ts'
import type { LaneStep, Outcomes } from '../delivery/outcomes.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { Attempts } from './attempts.ts'
import type { HostBreakers } from './host-breakers.ts'
import { createLanes, type Lane } from './lanes.ts'
import type { PrefetchWindow } from './prefetch-window.ts'
import { createReconciler } from './reconciler.ts'

/** Delivers the rows of one endpoint: one at a time in each lane, lanes in parallel. */
export interface EndpointWorker {
  /** When its last attempt ended, milliseconds since 1970; 0 before the first. */
  readonly lastAttemptAt: number
  /** Adds new rows, committed, in order. */
  enqueue(fresh: readonly Delivery[]): void
  /** The table has rows that were not enqueued. */
  markStale(): void
  /** Requests a pass: reads rows that memory has space for and starts requests. */
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
  attempts: Attempts
  outcomes: Outcomes
  hostBreakers: HostBreakers
  window: PrefetchWindow
  log: Log
}

/** How far the table was read. A reset replaces the object, so that a page requested before it is discarded. */
interface Cursor {
  /** Newest row that is in memory or in the backlog of a lane. */
  seq: number
  /** Whether the table has rows after it; `reading` while they are read and none were added since. */
  rest: 'none' | 'some' | 'reading'
  /** Rows that are not due yet are attempted too. */
  isEager: boolean
}

/** Page size when one lane is read. */
const LANE_PAGE = 32
const RETRY_MS = 1_000

export function createEndpointWorker(parts: WorkerParts): EndpointWorker {
  const { id, config, deliveries, endpoints, attempts, outcomes, hostBreakers, window, log } = parts
  const lanes = createLanes()
  const leaveWindow = window.join(lanes.held)
  const reconciler = createReconciler(reconcile, (error) =>
    log.error({ endpoint: id, reason: reasonOf(error) }, 'reading deliveries failed'),
  )
  const inProgress = new Set<Promise<void>>()
  let cursor: Cursor = { seq: 0, rest: 'some', isEager: false }
  let requests = 0
  /** End of the receiver's Retry-After. */
  let restUntil = 0
  let lastAttemptAt = 0

  /** How many rows may be in memory; 0 while no request may start. */
  function capacity(): number {
    const { state, url } = endpoints.byId(id) ?? {}
    if (!url || state !== 'active' || Date.now() < restUntil) return 0
    const breaker = hostBreakers.of(url).state
    if (breaker === 'open') return 0
    return breaker === 'half-open' ? 1 : window.size()
  }
  const breaker = () => hostBreakers.of(endpoints.byId(id)?.url ?? '')
  const mayRead = (): boolean => cursor.rest !== 'none' && capacity() > 0 && lanes.held() <= capacity() / 2

  async function reconcile(): Promise<void> {
    requestWhenDue()
    if (capacity() > 0) await refillLanes()
    await readPages()
    startRequests()
    // Rows that were read may have to wait as well.
    requestWhenDue()
  }

  /** Makes lanes ready whose time has come, and requests a pass for when the next one is due. */
  function requestWhenDue(): void {
    const now = Date.now()
    const due = lanes.releaseDue(now) ?? Number.POSITIVE_INFINITY
    reconciler.requestAt(restUntil > now ? Math.min(due, restUntil) : due)
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

  async function readPages(): Promise<void> {
    while (mayRead() && !reconciler.isStopped) {
      const before = cursor
      before.rest = 'reading'
      const page = await deliveries.pending(id, before.seq, lanes.truncated(), capacity() - lanes.held())
      if (cursor !== before) continue
      const now = Date.now()
      for (const delivery of page.rows) {
        const mustWait = !cursor.isEager && delivery.nextAt > now
        lanes.add(delivery, mustWait ? delivery.nextAt : 0)
      }
      cursor.seq = Math.max(cursor.seq, page.last)
      cursor.rest = page.isLast && cursor.rest === 'reading' ? 'none' : 'some'
      startRequests()
    }
    if (cursor.rest === 'none') cursor.isEager = false
  }

  function startRequests(): void {
    while (!reconciler.isStopped && requests < config.parallel && capacity() > 0 && breaker().admits()) {
      const next = lanes.begin()
      if (!next) break
      requests += 1
      const work = deliver(next.lane, next.head).finally(() => inProgress.delete(work))
      inProgress.add(work)
    }
  }

  async function deliver(lane: Lane, delivery: Delivery): Promise<void> {
    const outcome = await attempts.attempt(delivery)
    requests -= 1
    lastAttemptAt = Date.now()
    if (outcome.kind === 'failed' && outcome.after) restUntil = lastAttemptAt + outcome.after
    // Another lane may use the slot; this one continues when the outcome is committed.
    startRequests()
    const step = await record(lane, delivery, outcome)
    if (step.kind === 'retry') lanes.delay(lane, step.at)
    else lanes.advance(lane)
    if (step.kind === 'detach') lanes.add(step.delivery, step.at)
    startRequests()
    if (step.kind !== 'advance' || lane.backlog !== 'none' || mayRead()) reconciler.request()
  }

  async function record(lane: Lane, delivery: Delivery, outcome: Outcome): Promise<LaneStep> {
    if (outcome.kind === 'failed') lane.failingSince ??= Date.now()
    try {
      return await outcomes.record(delivery, outcome, hasBlockedTooLong(lane) && breaker().state === 'closed')
    } catch (error) {
      // The row is unchanged and will be read again.
      log.error({ endpoint: id, seq: delivery.seq, reason: reasonOf(error) }, 'recording a delivery failed')
      return { kind: 'retry', at: Date.now() + RETRY_MS }
    }
  }

  function hasBlockedTooLong({ failingSince }: Lane): boolean {
    const { laneBlockSeconds } = config
    if (laneBlockSeconds === 0 || failingSince === undefined) return false
    return Date.now() - failingSince > laneBlockSeconds * 1000
  }

  function markStale(): void {
    cursor.rest = 'some'
    reconciler.request()
  }

  return {
    get lastAttemptAt() {
      return lastAttemptAt
    },
    enqueue(fresh) {
      const mustBeRead = cursor.rest !== 'none' || capacity() === 0 || lanes.held() >= window.sizeForNew()
      if (mustBeRead) return markStale()
      for (const delivery of fresh.filter(({ seq }) => seq > cursor.seq)) {
        cursor.seq = delivery.seq
        lanes.add(delivery)
      }
      startRequests()
    },
    markStale,
    schedule: reconciler.request,
    reset() {
      lanes.clear()
      cursor = { seq: 0, rest: 'some', isEager: true }
      reconciler.request()
    },
    async stop() {
      leaveWindow()
      await reconciler.stop()
      await Promise.all(inProgress)
    },
  }
}
