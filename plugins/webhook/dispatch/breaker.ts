/**
 * Circuit breaker: after some failures in a row no request goes out for a while, then one probe. If the probe succeeds
 * the breaker closes; if it fails the next while is twice as long. It holds no timer: the caller asks again after `until`.
 */
export interface Breaker {
  readonly state: 'closed' | 'open' | 'half-open'
  /** When an open one becomes half-open, milliseconds since 1970; 0 while it is not open. */
  readonly until: number
  /** Whether a request may go out now; in half-open one at a time. */
  admits(): boolean
  /** A request went out. */
  begin(): void
  /** A request ended without a result. */
  cancelled(): void
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

/** `round` counts the failed probes, plus one. */
type State =
  | { kind: 'closed'; failures: number }
  | { kind: 'open'; until: number; round: number }
  | { kind: 'half-open'; round: number }
  | { kind: 'probing'; round: number }

const MAX_MS = 600_000

export function createBreaker({ failures, firstMs, now }: BreakerOptions): Breaker {
  let stored: State = { kind: 'closed', failures: 0 }

  function current(): State {
    if (stored.kind === 'open' && now() >= stored.until) stored = { kind: 'half-open', round: stored.round }
    return stored
  }
  function open(round: number): true {
    stored = { kind: 'open', until: now() + Math.min(MAX_MS, firstMs * 2 ** round), round: round + 1 }
    return true
  }

  return {
    get state() {
      const { kind } = current()
      return kind === 'probing' ? 'half-open' : kind
    },
    get until() {
      const state = current()
      return state.kind === 'open' ? state.until : 0
    },
    admits() {
      const { kind } = current()
      return kind === 'closed' || kind === 'half-open'
    },
    begin() {
      const state = current()
      if (state.kind === 'half-open') stored = { kind: 'probing', round: state.round }
    },
    cancelled() {
      const state = current()
      if (state.kind === 'probing') stored = { kind: 'half-open', round: state.round }
    },
    succeeded() {
      const wasClosed = current().kind === 'closed'
      stored = { kind: 'closed', failures: 0 }
      return !wasClosed
    },
    failed() {
      const state = current()
      // Requests that were in flight when it opened say nothing new.
      if (state.kind === 'open') return false
      if (state.kind !== 'closed') return open(state.round)
      if (state.failures + 1 >= failures) return open(0)
      stored = { kind: 'closed', failures: state.failures + 1 }
      return false
    },
  }
}
