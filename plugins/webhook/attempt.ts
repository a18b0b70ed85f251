import { type GatewayServices, reasonOf, type Session } from 'wamux/plugin'
import type { WebhookConfig } from './config.ts'
import type { Delivery } from './deliveries.ts'
import { sign } from './secrets.ts'

export type Outcome =
  | { kind: 'done'; status: number }
  /** `after` in milliseconds, when the receiver said when to come again. */
  | { kind: 'failed'; reason: string; after?: number }
  /** The receiver wants no more of them: 410. */
  | { kind: 'gone' }

const RETRY_AFTER_MOST = 24 * 3_600_000

/** One attempt to deliver one event. Never throws. */
export async function attempt(
  http: GatewayServices['http'],
  config: WebhookConfig,
  session: Session,
  secret: string,
  delivery: Delivery,
): Promise<Outcome> {
  const body = JSON.stringify(envelope(session, delivery))
  const seconds = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'wamux',
    ...sign(secret, delivery.event, seconds, body),
    'x-webhook-request-id': delivery.event,
    'x-webhook-timestamp': String(seconds),
    'x-webhook-attempt': String(delivery.attempts + 1),
    'x-gateway-session': session.id,
    'x-gateway-seq': String(delivery.seq),
  }
  try {
    const { status, headers: answered } = await http.post(session.webhook, {
      body,
      headers,
      timeoutMs: config.timeoutMs,
    })
    if (status >= 200 && status < 300) return { kind: 'done', status }
    if (status === 410) return { kind: 'gone' }
    const after = retryAfter(answered['retry-after'])
    return { kind: 'failed', reason: `status ${status}`, ...(after === undefined ? {} : { after }) }
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) }
  }
}

/** What receivers parse: the family's body, the same bytes' worth on every attempt. */
function envelope(session: Session, { event, type, time, body }: Delivery): Record<string, unknown> {
  return {
    type,
    ...body,
    eventId: event,
    instanceName: session.name,
    userID: session.id,
    jid: session.jid,
    timestamp: time,
  }
}

/** Seconds or a date. */
function retryAfter(value: string | undefined): number | undefined {
  if (!value) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MOST)
}
