import type { Effect } from './transitions.ts'

export interface Pace {
  /** Milliseconds before the first retry, half as long again with each further one up to `most`. */
  readonly first: number
  readonly most: number
}

export const PACE: Pace = { first: 1_000, most: 300_000 }

const STORAGE_RETRY_MS = 5_000

/**
 * Milliseconds until a link is opened again, with full jitter so that a thousand sessions do not return in step after
 * an outage; undefined for an effect that does not reconnect.
 */
export function retryDelay(
  effect: Effect | undefined,
  attempt: number,
  random: () => number,
  pace: Pace = PACE,
): number | undefined {
  if (effect === 'reconnect-now') return 0
  if (effect === 'reconnect-later') return jittered(attempt, random, pace)
  if (effect !== 'reconnect-soon') return undefined
  // The network is fine: as soon as the storage answers, the link can be opened again.
  return jittered(attempt, random, { ...pace, most: Math.min(pace.most, STORAGE_RETRY_MS) })
}

function jittered(attempt: number, random: () => number, pace: Pace): number {
  const ceiling = Math.min(pace.most, pace.first * 1.5 ** Math.min(attempt, 100))
  // Never below a tenth: a delay of almost nothing would hammer a network that has just failed.
  return Math.round(ceiling * (0.1 + 0.9 * random()))
}
