import { type Log, withTimeout } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { Deliveries, Delivery } from '../delivery/deliveries.ts'
import type { Outcomes } from '../delivery/outcomes.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { Attempts } from './attempts.ts'
import type { Breaker } from './breaker.ts'
import { createEndpointWorker, type EndpointWorker } from './endpoint-worker.ts'
import { type HostBreakers, hostOf } from './host-breakers.ts'
import { createPrefetchWindow } from './prefetch-window.ts'

/** Runs a worker for each endpoint. */
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
  attempts: Attempts
  outcomes: Outcomes
  hostBreakers: HostBreakers
  log: Log
}

/** Requests in flight have this long to end when the gateway stops. */
const GRACE_MS = 2_000

export function createDispatcher(deps: Deps): Dispatcher {
  const { endpoints, attempts, hostBreakers, log } = deps
  const workers = new Map<string, EndpointWorker>()
  const window = createPrefetchWindow()
  hostBreakers.onTransition(onTransition)

  function workerOf(id: string): EndpointWorker {
    const worker = workers.get(id) ?? createEndpointWorker({ ...deps, id, window })
    workers.set(id, worker)
    return worker
  }

  function onTransition(host: string, to: Breaker['state']): void {
    log.warn({ host }, `webhook circuit breaker ${to === 'open' ? 'opened' : to}`)
    const affected = [...workers].filter(([id]) => hostOf(endpoints.byId(id)?.url ?? '') === host)
    if (to !== 'half-open') for (const [, worker] of affected) worker.reset()
    // Only one worker may send the probe: the one whose last attempt is longest ago.
    else for (const worker of byLastAttempt(affected)) worker.schedule()
  }

  return {
    start() {
      for (const { id } of endpoints.all()) workerOf(id).schedule()
    },
    enqueue(entered, isNew) {
      const byEndpoint = new Map<string, Delivery[]>()
      for (const delivery of entered) {
        const list = byEndpoint.get(delivery.endpoint) ?? []
        byEndpoint.set(delivery.endpoint, list)
        list.push(delivery)
      }
      for (const [id, list] of byEndpoint) {
        if (isNew) workerOf(id).enqueue(list)
        else workerOf(id).markStale(list.at(-1)?.seq ?? 0)
      }
    },
    reset: (id) => workerOf(id).reset(),
    async stop() {
      hostBreakers.stop()
      const stopped = Promise.all([...workers.values()].map((worker) => worker.stop()))
      await withTimeout(stopped, GRACE_MS, attempts.abort)
      await stopped
    },
  }
}

function byLastAttempt(workers: readonly [string, EndpointWorker][]): EndpointWorker[] {
  return workers.map(([, worker]) => worker).sort((a, b) => a.lastAttemptAt - b.lastAttemptAt)
}
