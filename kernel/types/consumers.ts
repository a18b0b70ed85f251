import type { Attempt } from '../attempt.ts'
import type { LogEvent } from './events.ts'
import type { Write } from './storage.ts'

/**
 * A durable reader of the log with a cursor in each session; receives every event at least once, in order per session, in
 * the process that serves the session.
 */
export interface Consumer<D> {
  /**
   * Handles at most `batch` events (default 200), of several sessions. After an error each of these sessions is retried
   * separately: calls for different sessions may overlap, those for one session never do. Reject PLUGIN_UNAVAILABLE when a
   * dependency is down: no event is at fault, and the same ones are retried until it is back.
   *
   * @param attempt number of this attempt at these events, as counted by this process.
   */
  handle(events: readonly LogEvent[], deps: D, attempt: Attempt): Promise<readonly Write[] | void>
  batch?: number
  /** The events that it receives; all when absent. */
  classes?: readonly string[]
  types?: readonly string[]
  /** Whether it receives further events of a session; called for each event. */
  sessions?(session: string, deps: D): boolean
  /** Batches have events of one session only, and sessions do not wait for each other: for a slow `handle`. */
  isPerSession?: boolean
  /** An event refused this many times is stored as a dead letter, and the next one follows. Never when absent. */
  deadLetter?: { after: number }
}

/** A durable consumer in this process. */
export interface ConsumerState {
  readonly name: string
  /** Number of logged events that it has not handled, including those that it does not receive. */
  readonly lag: number
  /** Sessions in which it is behind the others, the slowest first. */
  readonly behind: readonly CatchUpState[]
}

export interface CatchUpState {
  readonly session: string
  readonly lag: number
  /** Number of failures since the last success. */
  readonly failures: number
  /** Reason of the last failure; '' for none. */
  readonly error: string
  /** `Date.now()` of the next attempt; 0 if none is scheduled. */
  readonly retryAt: number
}

/** The durable consumers, for operators. Methods reject ITEM_UNKNOWN for a consumer that does not run. */
export interface ConsumerControl {
  list(): ConsumerState[]
  /**
   * Resolves when it has handled what this process logged before the call, in all sessions in which it is not behind; after a
   * second at the latest. For reads of what a consumer writes: a caller that has received an event finds it there.
   */
  caughtUp(name: string): Promise<void>
  /** Moves the cursor in a session that this process serves; the event after `seq` comes next. */
  move(name: string, session: string, seq: number): Promise<void>
  /** Handles one event out of order for an operator. A dead letter is removed when this resolves. */
  retry(name: string, event: LogEvent): Promise<void>
}
