import { type Backoff, backoff } from '../async/backoff.ts'
import type { Effect } from './transitions.ts'

/** Each pause is half as long again. Never below a tenth: an almost empty pause would hammer a network that has just failed. */
const GROWTH = { factor: 1.5, jitter: 0.9 }

export const LINK_BACKOFF: Backoff = { first: 1_000, most: 300_000 }

const STORAGE_RETRY_MS = 5_000

/**
 * Milliseconds until a link is reopened, with full jitter: a thousand sessions must not return in step after an outage.
 * Undefined for an effect that does not reconnect.
 */
export function retryDelay(
  effect: Effect | undefined,
  attempt: number,
  random: () => number,
  pauses: Backoff = LINK_BACKOFF,
): number | undefined {
  if (effect === 'reconnect-now') return 0
  if (effect === 'reconnect-later') return backoff({ ...GROWTH, ...pauses }, attempt, random)
  if (effect !== 'reconnect-soon') return undefined
  // The network is fine: the link can be reopened as soon as the storage answers.
  return backoff({ ...GROWTH, ...pauses, most: Math.min(pauses.most, STORAGE_RETRY_MS) }, attempt, random)
}
