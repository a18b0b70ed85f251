import type { Session } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { FormatContext, FormatRequest, WebhookFormat } from '../contract.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { isEmpty, transformed } from '../formats/transform.ts'
import type { Delivery } from './delivery.ts'
import { traceparentOf } from './traceparent.ts'

/** What the requests of one delivery are made from. */
export interface RequestParts {
  config: Pick<WebhookConfig, 'includeToken' | 'timeoutMs'>
  session: Session
  endpoint: Endpoint
  /** Undefined if its plugin is disabled. */
  format: WebhookFormat | undefined
  edits: FormatContext['edits']
  delivery: Delivery
}

const CONTENT_TYPE = { 'content-type': 'application/json' }

/** The bodies of an event in the endpoint's format, in order; each is one request. Throws if no plugin has the format. */
export async function bodiesOf(parts: RequestParts): Promise<Buffer[]> {
  const { format, session, delivery, edits, endpoint } = parts
  if (!format) throw new Error(`no enabled plugin has the format "${endpoint.format}"`)
  const context = {
    session,
    jid: delivery.jid,
    edits,
    token: tokenOf(parts),
    url: endpoint.url,
    events: endpoint.events.length > 0 ? new Set(endpoint.events) : undefined,
  }
  const made = await format.bodiesOf(delivery.line, context)
  const list = typeof made === 'string' || Buffer.isBuffer(made) ? [made] : made
  const bodies = list.map((body) => (typeof body === 'string' ? Buffer.from(body) : body))
  return isEmpty(endpoint.transform) ? bodies : bodies.map((body) => transformed(body, endpoint.transform))
}

/** @param at the index of the body. */
export function headersOf(
  { endpoint, format, delivery }: RequestParts,
  body: Buffer,
  at: number,
): Record<string, string> {
  const { line, lane, attempts } = delivery
  const { secret, oldSecret, oldUntil } = endpoint
  const now = Date.now()
  const id = at === 0 ? line.id : `${line.id}.${at}`
  const old = oldSecret && now < oldUntil ? oldSecret : undefined
  const headers: Record<string, string> = {
    ...endpoint.headers,
    ...CONTENT_TYPE,
    ...commonHeaders({ id, now }, attempts + 1),
    'x-gateway-session': line.session,
    'x-gateway-seq': String(line.seq),
    ...(typeof format?.headers === 'function' ? format.headers({ id, now }) : format?.headers),
    ...(secret ? format?.sign?.(body, secret, { id, now, oldSecret: old }) : {}),
  }
  // It blocked its lane for too long and was detached: later events of the chat may have arrived first.
  if (lane !== line.lane) headers['x-gateway-late'] = '1'
  // In no log: a made event, which a receiver must be able to recognize in every format.
  if (line.seq === 0) headers['x-gateway-test'] = '1'
  const traceparent = traceparentOf(line)
  if (traceparent) headers['traceparent'] = traceparent
  return headers
}

/** The headers of every request to a receiver, whatever it is about. */
export function commonHeaders({ id, now }: FormatRequest, attempt: number): Record<string, string> {
  const seconds = String(Math.floor(now / 1000))
  return {
    'user-agent': 'wamux',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'x-webhook-request-id': id,
    'x-webhook-timestamp': seconds,
    'x-webhook-attempt': String(attempt),
  }
}

/**
 * The session's token, if bodies contain it. Those of some formats always do, as their receivers expect, unless the endpoint
 * receives the events of all sessions or was set with a key.
 */
function tokenOf({ config, session, endpoint, format }: RequestParts): string | undefined {
  if (endpoint.isByKey) return undefined
  const isShown = endpoint.session ? format?.includesToken || config.includeToken : endpoint.includesToken
  return isShown ? session.token : undefined
}
