import type { CloseReason } from '../types/driver.ts'
import type { SessionState } from '../types/session.ts'

/** What follows the end of a link. `retryIn` in milliseconds; absent when nobody should try again by itself. */
export interface Verdict {
  readonly state: SessionState
  readonly retryIn?: number
  /** The link is over on the network's side: drop its keys, ask for a new scan. */
  readonly unlinked?: boolean
}

export interface Pace {
  /** Milliseconds before the first retry, doubling up to `most`. */
  readonly first: number
  readonly most: number
}

const STORAGE_RETRY_MS = 5_000

export const PACE: Pace = { first: 1_000, most: 300_000 }

/**
 * Judges a closed link. Only faults that time may mend are retried, with full jitter so that a thousand
 * sessions do not return in step after an outage. A replaced link is left alone: two owners of the same
 * keys would throw each other out for ever.
 */
export function judge(
  reason: CloseReason,
  attempt: number,
  random: () => number,
  pace: Pace = PACE,
): Verdict {
  switch (reason) {
    case 'restart':
      return { state: 'connecting', retryIn: 0 }
    case 'lost':
    case 'unavailable':
      return { state: 'waiting', retryIn: delay(attempt, random, pace) }
    case 'storage':
      // The network has no part in it: as soon as the storage answers the link may be back.
      return {
        state: 'waiting',
        retryIn: delay(attempt, random, { ...pace, most: Math.min(pace.most, STORAGE_RETRY_MS) }),
      }
    case 'logged-out':
      return { state: 'logged-out', unlinked: true }
    case 'banned':
      return { state: 'banned', unlinked: true }
    case 'replaced':
      return { state: 'replaced' }
    case 'qr-ended':
    case 'outdated':
    case 'untrusted':
      return { state: 'failed' }
    case 'stopped':
      return { state: 'offline' }
  }
}

function delay(attempt: number, random: () => number, pace: Pace): number {
  const ceiling = Math.min(pace.most, pace.first * 2 ** Math.min(attempt, 20))
  // Never below a tenth: a jitter of almost nothing would hammer a network that just failed.
  return Math.round(ceiling * (0.1 + 0.9 * random()))
}
