import { type GatewayServices, reasonOf, type Session } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { encode, toBody } from './body.ts'
import type { Delivery } from './deliveries.ts'
import { sign } from './sign.ts'

export type Outcome =
  | { kind: 'done'; status: number }
  /** `after`: milliseconds of the receiver's Retry-After. `isDown`: counts as a failure of the host's circuit breaker. */
  | { kind: 'failed'; reason: string; isDown: boolean; after?: number }
  /** The receiver answered 410: it accepts no further deliveries. */
  | { kind: 'gone' }
  /** Aborted by the gateway; whether it arrived is unknown. */
  | { kind: 'aborted' }

export interface AttemptParts {
  httpClient: GatewayServices['httpClient']
  config: WebhookConfig
  session: Session
  endpoint: Endpoint
  delivery: Delivery
  attachments: GatewayServices['attachments'] | undefined
  signal: AbortSignal
}

const MAX_RETRY_AFTER_MS = 24 * 3_600_000

/** One attempt to deliver one event. Never throws. */
export async function attempt(parts: AttemptParts): Promise<Outcome> {
  const { httpClient, config, session, endpoint, delivery, signal } = parts
  try {
    const { text, type } = encode(
      endpoint.format,
      await toBody(session, delivery, parts.attachments),
      session.token,
      config.includeToken,
    )
    const headers = { 'content-type': type, ...headersOf(endpoint, delivery, text) }
    const { timeoutMs } = config
    const answer = await httpClient.post(endpoint.url, { body: text, headers, timeoutMs, signal })
    return toOutcome(answer.status, answer.headers)
  } catch (error) {
    return signal.aborted ? { kind: 'aborted' } : { kind: 'failed', reason: reasonOf(error), isDown: true }
  }
}

function headersOf(endpoint: Endpoint, delivery: Delivery, text: string): Record<string, string> {
  const { line, lane, attempts } = delivery
  const now = Date.now()
  return {
    'user-agent': 'wamux',
    ...sign(endpoint, line.id, now, text),
    'x-webhook-request-id': line.id,
    'x-webhook-timestamp': String(Math.floor(now / 1000)),
    'x-webhook-attempt': String(attempts + 1),
    'x-gateway-session': endpoint.session,
    'x-gateway-seq': String(line.seq),
    // It blocked its lane for too long and was detached from it: later events of the chat may have arrived first.
    ...(lane === line.lane ? {} : { 'x-gateway-late': '1' }),
  }
}

function toOutcome(status: number, headers: Record<string, string>): Outcome {
  if (status >= 200 && status < 300) return { kind: 'done', status }
  if (status === 410) return { kind: 'gone' }
  const after = retryAfter(headers['retry-after'])
  const isDown = status === 429 || status >= 500
  return { kind: 'failed', reason: `status ${status}`, isDown, ...(after === undefined ? {} : { after }) }
}

/** Milliseconds; the header holds seconds or a date. */
function retryAfter(value: string | undefined): number | undefined {
  if (!value) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS)
}
