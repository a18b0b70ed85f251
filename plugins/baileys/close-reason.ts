import type { CloseReason } from 'wamux/plugin'

interface Boom {
  message?: string
  output?: { statusCode?: number }
}

/** Codes of Baileys' DisconnectReason and of `<failure reason>`; 408 stands for two things and is told by its words. */
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

/** @param failure what could not be stored, which comes before all that followed from it; '' for nothing. */
export function closeReason(error: unknown, failure: string): { reason: CloseReason; detail: string } {
  if (failure) return { reason: 'unavailable', detail: failure }
  const { message = '', output } = (error ?? {}) as Boom
  const code = output?.statusCode ?? 0
  const detail = code ? `${message || 'closed'} (${code})` : message || 'closed'
  if (/signature invalid|certifi|Invalid signature|invalid noise/i.test(message))
    return { reason: 'untrusted', detail }
  if (/QR refs/i.test(message)) return { reason: 'qr-ended', detail: 'no phone scanned the QR code in time' }
  return { reason: REASONS[code] ?? 'lost', detail }
}
