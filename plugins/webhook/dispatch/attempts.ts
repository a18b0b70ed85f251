import { setMaxListeners } from 'node:events'
import type { GatewayServices, Sessions } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import { type AttemptResult, attempt } from '../delivery/attempt.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { Formats } from '../formats/formats.ts'
import type { HostBreakers } from './host-breakers.ts'

/** Makes delivery attempts and reports their results to the circuit breaker of the host. */
export interface DeliveryAttempts {
  /** Never throws. */
  attempt(delivery: Delivery): Promise<AttemptResult>
  /** Aborts the requests in flight. */
  abort(): void
}

interface Deps {
  config: WebhookConfig
  endpoints: Endpoints
  hostBreakers: HostBreakers
  httpClient: GatewayServices['httpClient']
  sessions: Sessions
  formats: Formats
}

export function createAttempts(deps: Deps): DeliveryAttempts {
  const { config, endpoints, hostBreakers, httpClient, sessions, formats } = deps
  const abort = new AbortController()
  const { signal } = abort
  // Each request in flight adds a listener.
  setMaxListeners(0, signal)

  return {
    async attempt(delivery) {
      const endpoint = endpoints.byId(delivery.endpoint)
      if (!endpoint) return aborted()
      hostBreakers.of(endpoint.url).begin()
      const session = await sessions.byId(delivery.line.session)
      // The rows of a deleted session are deleted with it.
      const result: AttemptResult = session
        ? await attempt({
            httpClient,
            config,
            session,
            endpoint,
            delivery,
            signal,
            ...formats.formOf(endpoint),
          })
        : aborted()
      hostBreakers.report(endpoint.url, stateOf(result))
      return result
    },
    abort: () => abort.abort(),
  }
}

function aborted(): AttemptResult {
  return { kind: 'aborted', ms: 0, at: Date.now(), head: '' }
}

function stateOf(result: AttemptResult): 'up' | 'down' | 'unknown' {
  if (result.kind === 'aborted') return 'unknown'
  return result.kind === 'failed' && result.isDown ? 'down' : 'up'
}
