import { backoff } from 'wamux/plugin'

/**
 * Circuit breaker: a number of consecutive failures opens it; after `until` it is half-open and admits one probe. A
 * probe that succeeds closes it, one that fails opens it for twice as long. It has no timer: the caller checks again
 * after `until`.
 */
export interface Breaker {
  readonly state: 'closed' | 'open' | 'half-open'
  /** When an open breaker becomes half-open, milliseconds since 1970; 0 while it is not open. */
  readonly until: number
  /** Whether a request may start now; while half-open, one at a time. */
  admits(): boolean
  /** A request started. */
  begin(): void
  /** A request ended without a result. */
  cancelled(): void
  /** A request succeeded; returns true when this closed the breaker. */
  succeeded(): boolean
  /** A request failed; returns true when this opened the breaker. */
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
    stored = {
      kind: 'open',
      until: now() + backoff({ first: firstMs, most: MAX_MS }, round),
      round: round + 1,
    }
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
      // Requests that were in flight when it opened carry no new information.
      if (state.kind === 'open') return false
      if (state.kind !== 'closed') return open(state.round)
      if (state.failures + 1 >= failures) return open(0)
      stored = { kind: 'closed', failures: state.failures + 1 }
      return false
    },
  }
}
