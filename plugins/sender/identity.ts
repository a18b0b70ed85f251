import { createHash } from 'node:crypto'
import { gatewayError, type LiveSession, type Viewer } from 'wamux/plugin'
import type { ContextGiven } from './context.ts'

const HEADER = 'Idempotency-Key'

/** A request of any sending route; `Phone` may be absent if `options.chat` names the chat. */
export interface SendRequest {
  session: LiveSession
  /** The chats that the caller sees: it may send to and quote from no others. */
  viewer: Viewer
  /** Compared as a whole to decide whether two requests are the same. */
  body: {
    Phone?: string
    Id?: string
    ContextInfo?: ContextGiven
    QuotedText?: string
    SendAt?: string
    TimeZone?: string
  }
  /** Reads `Idempotency-Key` and `Prefer`. */
  header(name: string): string
  traceparent?: string | undefined
}

/** The message id of a request, and a hash that distinguishes it from others with that id; neither if it has no id. */
export function identify(
  path: string,
  { session, body, header }: SendRequest,
): { id: string; fingerprint: string } | undefined {
  const { Id, ...rest } = body
  const key = header(HEADER)
  if (key && Id) throw gatewayError('FIELD_INVALID', [HEADER, 'set it or Id, not both'])
  const id = key ? idOf(session.id, asKey(key)) : Id
  return id ? { id, fingerprint: sha256(path, canonical(rest)) } : undefined
}

function asKey(header: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(header))
    throw gatewayError('FIELD_INVALID', [HEADER, 'must be 1 to 255 visible ASCII characters'])
  return header
}

/**
 * The message id for a key. It is derived, so there is no stored mapping that a crash could separate from the message; and
 * it has the format of Baileys' own ids: recipients see the same kind of id as from any client.
 */
export function idOf(session: string, key: string): string {
  return `3EB0${sha256(session, ' ', key).slice(0, 18).toUpperCase()}`
}

function sha256(...parts: string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** Serializes a request independently of the order of its keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join()}}`
}
