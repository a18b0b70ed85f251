/**
 * Spares a host that fails: after some failures in a row nothing goes out for a while, then one probe. The probe's
 * success closes it again; its failure doubles the while. Holds no timer: the caller asks again when it is over.
 */
export interface Breaker {
  readonly state: 'closed' | 'open' | 'half-open'
  /** When an open one lets a probe through. */
  readonly until: number
  /** Whether a request may go out now; in half-open one at a time. */
  admits(): boolean
  /** One goes out. */
  begin(): void
  /** One ended without a verdict. */
  cut(): void
  /** True when this closed it. */
  succeeded(): boolean
  /** True when this opened it. */
  failed(): boolean
}

export interface BreakerOptions {
  failures: number
  firstMs: number
  now: () => number
}

const MOST_MS = 600_000

export function createBreaker({ failures, firstMs, now }: BreakerOptions): Breaker {
  let count = 0
  let waits = 0
  let until = 0
  let isProbing = false
  const stateOf = (): Breaker['state'] => {
    if (waits === 0) return 'closed'
    return now() < until ? 'open' : 'half-open'
  }
  return {
    get state() {
      return stateOf()
    },
    get until() {
      return until
    },
    admits() {
      const state = stateOf()
      return state === 'closed' || (state === 'half-open' && !isProbing)
    },
    begin() {
      isProbing = stateOf() === 'half-open'
    },
    cut() {
      isProbing = false
    },
    succeeded() {
      const wasOpen = waits > 0
      count = 0
      waits = 0
      isProbing = false
      return wasOpen
    },
    failed() {
      count += 1
      // Requests that were under way when it opened say nothing new.
      if (stateOf() === 'open' || (waits === 0 && count < failures)) return false
      until = now() + Math.min(MOST_MS, firstMs * 2 ** waits)
      waits += 1
      isProbing = false
      return true
    },
  }
}
