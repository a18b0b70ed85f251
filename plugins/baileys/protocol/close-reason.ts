import { type CloseReason, isStorageError, type LinkEvent, reasonOf } from 'wamux/plugin'
import type { Boom } from './refusal.ts'

export type Closed = Omit<Extract<LinkEvent, { type: 'closed' }>, 'type'>

/** Codes of Baileys' DisconnectReason and of `<failure reason>`; 408 has two meanings, which the message decides. */
const REASONS: Readonly<Record<number, CloseReason>> = {
  401: 'logged-out',
  402: 'banned',
  403: 'banned',
  405: 'outdated',
  406: 'banned',
  409: 'outdated',
  411: 'logged-out',
  428: 'lost',
  440: 'replaced',
  500: 'unavailable',
  503: 'unavailable',
  515: 'restart',
}

/**
 * Whether the network closed a link without a reason, or because of an error in what it received. False if it was silent,
 * could not be reached, or gave another reason (`replaced`, `restart`, `unavailable` …).
 */
export function isBrokenOff(error: unknown): boolean {
  const { message = '', output } = (error ?? {}) as Boom
  const { statusCode } = output ?? {}
  return statusCode === 428 || statusCode === 500 || /ECONNRESET|EPIPE/.test(message)
}

/** @param failure of the storage, which precedes any error that followed from it; undefined if there was none. */
export function closeReason(error: unknown, failure: unknown): Closed {
  if (isStorageError(failure)) return { reason: 'storage', detail: failure.message, failure }
  if (failure !== undefined) return { reason: 'unavailable', detail: reasonOf(failure) }
  const { message = '', output } = (error ?? {}) as Boom
  const code = output?.statusCode ?? 0
  const detail = code ? `${message || 'closed'} (${code})` : message || 'closed'
  if (/signature invalid|certifi|Invalid signature|invalid noise/i.test(message))
    return { reason: 'untrusted', detail }
  if (/QR refs/i.test(message)) return { reason: 'qr-ended', detail: 'no phone scanned the QR code in time' }
  return { reason: REASONS[code] ?? 'lost', detail }
}
