import { type GatewayServices, reasonOf, type Session } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { CONTENT_TYPES, encode, toJson } from './body.ts'
import type { Delivery } from './delivery.ts'
import { type Headers, sign } from './sign.ts'
import { traceparentOf } from './traceparent.ts'

export type Outcome = Result & {
  /** Milliseconds that the attempt took. */
  readonly ms: number
  /** When it ended, milliseconds since 1970. */
  readonly at: number
  /** The first characters of the receiver's answer; '' without one. */
  readonly head: string
}

type Result =
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
  const began = performance.now()
  const { result, head } = await exchange(parts)
  return { ...result, head, at: Date.now(), ms: Math.round(performance.now() - began) }
}

async function exchange(parts: AttemptParts): Promise<{ result: Result; head: string }> {
  const { httpClient, config, session, endpoint, delivery, signal } = parts
  try {
    const file = await parts.attachments?.attach(delivery.line)
    const { format, url } = endpoint
    const shown = tokenOf(parts)
    const json = toJson(session, delivery, file, format === 'json' ? shown : undefined)
    const body = encode(format, json, shown)
    const headers = headersOf(endpoint, delivery, body)
    const answer = await httpClient.post(url, { body, headers, timeoutMs: config.timeoutMs, signal })
    return { result: toResult(answer.status, answer.headers), head: answer.head }
  } catch (error) {
    const failed = { kind: 'failed', reason: reasonOf(error), isDown: true } as const
    return { result: signal.aborted ? { kind: 'aborted' } : failed, head: '' }
  }
}

/**
 * The session's token, where bodies hold it: a form always does, as receivers of this family expect, unless the endpoint
 * gets the events of all sessions.
 */
function tokenOf({ config, session, endpoint }: AttemptParts): string | undefined {
  const isShown = endpoint.session
    ? endpoint.format === 'form' || config.includeToken
    : endpoint.includesToken
  return isShown ? session.token : undefined
}

function headersOf(endpoint: Endpoint, { line, lane, attempts }: Delivery, body: Buffer): Headers {
  const now = Date.now()
  const headers: Headers = {
    ...endpoint.headers,
    'content-type': CONTENT_TYPES[endpoint.format],
    'user-agent': 'wamux',
    'x-webhook-request-id': line.id,
    'x-webhook-timestamp': String(Math.floor(now / 1000)),
    'x-webhook-attempt': String(attempts + 1),
    'x-gateway-session': line.session,
    'x-gateway-seq': String(line.seq),
  }
  sign(headers, endpoint, line.id, now, body)
  // It blocked its lane for too long and was detached from it: later events of the chat may have arrived first.
  if (lane !== line.lane) headers['x-gateway-late'] = '1'
  const traceparent = traceparentOf(line)
  if (traceparent) headers['traceparent'] = traceparent
  return headers
}

function toResult(status: number, headers: Record<string, string>): Result {
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
