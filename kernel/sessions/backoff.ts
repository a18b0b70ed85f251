import { type Backoff, backoff } from '../async/backoff.ts'
import type { Effect } from './transitions.ts'

/** Half as long again with each further try. Never below a tenth: a pause of almost nothing would hammer a network that has just failed. */
const GROWTH = { factor: 1.5, jitter: 0.9 }

export const LINK_BACKOFF: Backoff = { first: 1_000, most: 300_000 }

const STORAGE_RETRY_MS = 5_000

/**
 * Milliseconds until a link is opened again, with full jitter so that a thousand sessions do not return in step after
 * an outage; undefined for an effect that does not reconnect.
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
  // The network is fine: as soon as the storage answers, the link can be opened again.
  return backoff({ ...GROWTH, ...pauses, most: Math.min(pauses.most, STORAGE_RETRY_MS) }, attempt, random)
}
