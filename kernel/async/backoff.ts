/** How the pause between two tries grows. */
export interface Backoff {
  /** Milliseconds before the first retry. */
  readonly first: number
  /** Milliseconds that no pause exceeds. */
  readonly most: number
  /** By which each pause is longer than the last; default 2. */
  readonly factor?: number
  /** Share of a pause, 0 to 1, that is random, so that many clients do not retry in step; default 0. */
  readonly jitter?: number
}

/**
 * Capped exponential back-off: milliseconds until the next try.
 *
 * @param failures in a row before the one that has just failed: 0 gives the first pause.
 */
export function backoff(pauses: Backoff, failures: number, random: () => number = Math.random): number {
  const { first, most, factor = 2, jitter = 0 } = pauses
  const ceiling = Math.min(most, first * factor ** Math.min(failures, MAX_FAILURES))
  return Math.round(ceiling * (1 - jitter * (1 - random())))
}

/** The power of a higher number could be Infinity, and `first` 0 times Infinity is NaN. */
const MAX_FAILURES = 100
