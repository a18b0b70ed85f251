import { type CloseReason, isStorageError, type LinkEvent, reasonOf } from 'wamux/plugin'
import type { Boom } from './refusal.ts'

export type Closed = Omit<Extract<LinkEvent, { type: 'closed' }>, 'type'>

/** Baileys' message for `<failure reason>`, which refuses a login or a registration (Socket/socket.js CB:failure). */
const FAILURE = 'Connection Failure'

/** Baileys' message for `<stream:error>`, which ends an open link (CB:stream:error). */
const STREAM_ERROR = /^Stream Errored/

/** Reasons of `<failure>`. */
const FAILURES: Readonly<Record<number, CloseReason>> = {
  400: 'lost',
  401: 'logged-out',
  402: 'temporary-ban',
  // Locked: each further login prolongs it.
  403: 'banned',
  405: 'outdated',
  406: 'banned',
  409: 'bad-user-agent',
  411: 'logged-out',
  // The token of a hosted account has expired or is invalid.
  413: 'lost',
  414: 'lost',
  // The account or the client is not known. Other clients log in no more, and keep their keys (whatsmeow connectionevents.go).
  415: 'unknown-client',
  418: 'unknown-client',
  429: 'rate-limited',
  500: 'unavailable',
  501: 'unavailable',
  503: 'unavailable',
}

/** Codes of `<stream:error>`; Baileys reports 440 for a conflict without a code, and 500 for an error without one. */
const STREAM_ERRORS: Readonly<Record<number, CloseReason>> = {
  401: 'logged-out',
  409: 'replaced',
  429: 'rate-limited',
  440: 'replaced',
  500: 'unavailable',
  503: 'unavailable',
  515: 'restart',
  // The device was removed.
  516: 'logged-out',
}

/** Codes of Baileys' own ends (DisconnectReason); 408 has two meanings, told apart by the message. */
const ENDS: Readonly<Record<number, CloseReason>> = {
  401: 'logged-out',
  411: 'logged-out',
  428: 'lost',
  500: 'unavailable',
  503: 'unavailable',
}

/** Reasons of a temporary ban, by code. */
const BANS: Readonly<Record<string, string>> = {
  101: 'messages to too many people who do not know the account',
  102: 'blocked by too many people',
  103: 'too many groups created with people who do not know the account',
  104: 'the same message to too many people',
  106: 'too many messages to broadcast lists',
}

/** Assumed for a ban without an end; a refused login reports the end again. */
const UNKNOWN_BAN_S = 3600
/** Pause after one login too many: longer than the usual pauses, and random, so that sessions do not return in step. */
const LIMIT_MS = 5 * 60_000

/**
 * Whether the network closed the link without a reason, or because of an error in a received frame. False if it was silent,
 * could not be reached, or gave another reason (`replaced`, `restart`, `unavailable` …).
 */
export function isBrokenOff(error: unknown): boolean {
  const { message = '', output } = (error ?? {}) as Boom
  const { statusCode } = output ?? {}
  return statusCode === 428 || statusCode === 500 || /ECONNRESET|EPIPE/.test(message)
}

/** @param failure of the storage, which precedes any error caused by it; undefined without one. */
export function closeReason(error: unknown, failure: unknown): Closed {
  if (isStorageError(failure)) return { reason: 'storage', detail: failure.message, failure }
  if (failure !== undefined) return { reason: 'unavailable', detail: reasonOf(failure) }
  const { message = '', output } = (error ?? {}) as Boom
  const code = output?.statusCode ?? 0
  if (message === FAILURE) return failed(code, attrsOf(error))
  if (STREAM_ERROR.test(message)) return streamError(message, code, attrsOf(error))
  const detail = code ? `${message || 'closed'} (${code})` : message || 'closed'
  if (/signature invalid|certifi|Invalid signature|invalid noise/i.test(message))
    return { reason: 'untrusted', detail }
  if (/QR refs/i.test(message)) return { reason: 'qr-ended', detail: 'no phone scanned the QR code in time' }
  return { reason: ENDS[code] ?? 'lost', detail }
}

type Attrs = Readonly<Record<string, unknown>>

function failed(code: number, attrs: Attrs): Closed {
  const where = [code, ...locationOf(attrs)].join(', ')
  const reason = FAILURES[code] ?? 'lost'
  // The driver adds the version.
  if (reason === 'outdated') return { reason, detail: where }
  if (reason === 'bad-user-agent')
    return { reason, detail: `WhatsApp rejects the user agent of this client (${where})` }
  if (reason === 'unknown-client')
    return { reason, detail: `WhatsApp does not know the account, or not this linked device (${where})` }
  if (reason === 'temporary-ban') return banned(attrs)
  return { reason, detail: `${FAILURE} (${where})`, ...limitOf(reason) }
}

function banned(attrs: Attrs): Closed {
  const code = String(attrs['code'] ?? '').slice(0, 10)
  const seconds = Number(attrs['expire'])
  const until = Date.now() + (seconds > 0 && seconds < 1e9 ? seconds : UNKNOWN_BAN_S) * 1000
  const why = BANS[code] ? `: ${BANS[code]} (${code})` : code && ` (${code})`
  const detail = `WhatsApp has banned the account until ${new Date(until).toISOString()}${why}`
  return { reason: 'temporary-ban', detail, code, until }
}

/** @param attrs of its child, for example `conflict`. */
function streamError(message: string, code: number, attrs: Attrs): Closed {
  const isRemoved = attrs['type'] === 'device_removed'
  const reason = isRemoved ? 'logged-out' : (STREAM_ERRORS[code] ?? 'lost')
  return { reason, detail: `${message} (${code})`, ...limitOf(reason) }
}

function limitOf(reason: CloseReason): { until: number } | undefined {
  return reason === 'rate-limited' ? { until: Date.now() + LIMIT_MS * (1 + Math.random()) } : undefined
}

/** The location in WhatsApp's network that a failure names, for example `frc`. */
function locationOf({ location }: Attrs): string[] {
  return typeof location === 'string' && location ? [location.slice(0, 20)] : []
}

/** The data that Baileys adds to an error: the attributes of a failure, or the child of a stream error. */
function attrsOf(error: unknown): Attrs {
  const { data } = (error ?? {}) as { data?: Attrs & { attrs?: Attrs } }
  return data?.attrs ?? data ?? {}
}
