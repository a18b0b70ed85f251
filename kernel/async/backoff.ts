/** How the pause between two attempts grows. */
export interface Backoff {
  /** Milliseconds before the first retry. */
  readonly first: number
  /** Upper limit of a pause, in milliseconds. */
  readonly most: number
  /** Factor from one pause to the next; default 2. */
  readonly factor?: number
  /** Share of a pause, 0 to 1, that is random, so that many clients do not retry in step; default 0. */
  readonly jitter?: number
}

/**
 * Capped exponential back-off: milliseconds until the next attempt.
 *
 * @param failures consecutive failures before the latest one: 0 gives the first pause.
 */
export function backoff(pauses: Backoff, failures: number, random: () => number = Math.random): number {
  const { first, most, factor = 2, jitter = 0 } = pauses
  const ceiling = Math.min(most, first * factor ** Math.min(failures, MAX_FAILURES))
  return Math.round(ceiling * (1 - jitter * (1 - random())))
}

/** A higher exponent could give Infinity, and a `first` of 0 times Infinity is NaN. */
const MAX_FAILURES = 100
