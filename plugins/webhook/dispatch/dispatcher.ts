import {
  ALL_OWNED,
  createOwned,
  type Log,
  type Ownership,
  type Peers,
  reasonOf,
  type Sessions,
  withTimeout,
} from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { Deliveries } from '../delivery/deliveries.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { Results } from '../delivery/results.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { DeliveryAttempts } from './attempts.ts'
import type { Breaker } from './breaker.ts'
import { createEndpointWorker, type EndpointWorker } from './endpoint-worker.ts'
import { type HostBreakers, hostOf } from './host-breakers.ts'
import { createPrefetchWindow } from './prefetch-window.ts'
import { createShared } from './shared.ts'

/** Runs a worker for each endpoint of the sessions that this process serves. */
export interface Dispatcher {
  /** Starts delivering the pending rows of the table. */
  start(): void
  /** Adds committed rows, in order; rows that may not be new (`isNew` false) are read from the table instead. */
  enqueue(deliveries: readonly Delivery[], isNew: boolean): void
  /** Restarts at the oldest row, after a change of the endpoint or of the state of its deliveries. */
  reset(endpoint: string): void
  stop(): Promise<void>
}

interface Deps {
  config: WebhookConfig
  deliveries: Deliveries
  endpoints: Endpoints
  attempts: DeliveryAttempts
  results: Results
  hostBreakers: HostBreakers
  ownership?: Ownership | undefined
  peers: Peers
  sessions: Sessions
  log: Log
}

/** The task of delivering to receivers of all sessions, held by one process. */
const GLOBAL = '(global webhooks)'
/** Requests in flight have this long to end when the gateway stops. */
const GRACE_MS = 2_000

export function createDispatcher(deps: Deps): Dispatcher {
  const { endpoints, attempts, hostBreakers, ownership = ALL_OWNED, log } = deps
  const workers = new Map<string, EndpointWorker>()
  /** Workers of lost sessions whose attempts are still ending. */
  const ending = new Set<Promise<void>>()
  const sessions = createOwned({
    ownership,
    async open(session) {
      await endpoints.ready(session)
      for (const id of owned(session)) workerOf(id).schedule()
    },
    close: lose,
    onError: (error, session) =>
      log.error({ session, reason: reasonOf(error) }, 'deliveries of a gained session not started'),
  })
  const shared = createShared({
    peers: deps.peers,
    sessions: deps.sessions,
    log,
    endpoints,
    hasTask: () => ownership.owns(GLOBAL),
    rewind: () => {
      for (const id of owned('')) workerOf(id).rewind()
    },
    lose: () => lose(''),
    changed: (id) => {
      if (isServed(id)) workerOf(id).reset()
    },
  })
  const window = createPrefetchWindow()
  hostBreakers.onTransition(onTransition)

  function workerOf(id: string): EndpointWorker {
    const worker = workers.get(id) ?? createEndpointWorker({ ...deps, id, window })
    workers.set(id, worker)
    return worker
  }

  function isServed(id: string): boolean {
    const endpoint = endpoints.byId(id)
    return endpoint !== undefined && ownership.owns(endpoint.session || GLOBAL)
  }

  /** The endpoints to which this process delivers. */
  function owned(session?: string): string[] {
    return endpoints
      .all()
      .filter((one) => session === undefined || one.session === session)
      .map(({ id }) => id)
      .filter(isServed)
  }

  function lose(session: string): void {
    for (const { id } of endpoints.all().filter((one) => one.session === session)) {
      const stopped = workers.get(id)?.stop()
      if (!workers.delete(id) || !stopped) continue
      ending.add(stopped)
      void stopped.finally(() => ending.delete(stopped))
    }
  }

  function onTransition(host: string, to: Breaker['state']): void {
    log.warn({ host }, `webhook circuit breaker ${to === 'open' ? 'opened' : to}`)
    const affected = [...workers].filter(([id]) => hostOf(endpoints.byId(id)?.url ?? '') === host)
    if (to !== 'half-open') for (const [, worker] of affected) worker.reset()
    // Only one worker may send the probe: the one with the oldest last attempt.
    else for (const worker of byLastAttempt(affected)) worker.schedule()
  }

  return {
    start() {
      sessions.start()
      for (const id of owned()) workerOf(id).schedule()
      shared.start()
    },
    enqueue(entered, isNew) {
      const byEndpoint = new Map<string, Delivery[]>()
      for (const delivery of entered) {
        // Lost meanwhile: the process that now serves the session reads the row.
        if (!isServed(delivery.endpoint)) {
          if (!endpoints.byId(delivery.endpoint)?.session) shared.stored()
          continue
        }
        const list = byEndpoint.get(delivery.endpoint) ?? []
        byEndpoint.set(delivery.endpoint, list)
        list.push(delivery)
      }
      for (const [id, list] of byEndpoint) {
        if (isNew) workerOf(id).enqueue(list)
        else workerOf(id).markStale(list.at(-1)?.seq ?? 0)
      }
    },
    reset(id) {
      if (isServed(id)) workerOf(id).reset()
    },
    async stop() {
      await sessions.stop()
      await shared.stop()
      hostBreakers.stop()
      const stopped = Promise.all([...ending, ...[...workers.values()].map((worker) => worker.stop())])
      await withTimeout(stopped, GRACE_MS, attempts.abort)
      await stopped
    },
  }
}

function byLastAttempt(workers: readonly [string, EndpointWorker][]): EndpointWorker[] {
  return workers.map(([, worker]) => worker).sort((a, b) => a.lastAttemptAt - b.lastAttemptAt)
}
