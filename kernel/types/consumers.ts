import type { Attempt } from '../attempt.ts'
import type { LogEvent } from './events.ts'
import type { Write } from './storage.ts'

/**
 * A durable reader of the log with a cursor in each session; gets every event at least once, those of a session in order,
 * in the process that serves the session.
 */
export interface Consumer<D> {
  /**
   * Handles at most `batch` events (default 200), of several sessions. After an error each of these sessions is tried
   * again on its own, so calls for different sessions may overlap; those for one session never do. Reject PLUGIN_UNAVAILABLE
   * when what it needs is down: no event is at fault, and the same ones are tried again until it is back.
   *
   * @param attempt which try of these events this is, as this process counts them.
   */
  handle(events: readonly LogEvent[], deps: D, attempt: Attempt): Promise<readonly Write[] | void>
  batch?: number
  /** The events that it gets; all when absent. */
  classes?: readonly string[]
  types?: readonly string[]
  /** Whether it gets the events of a session that are logged from now on; asked for each event. */
  sessions?(session: string, deps: D): boolean
  /** A batch has the events of one session only, and sessions do not wait for each other; for a `handle` that is slow. */
  isPerSession?: boolean
  /** An event that was refused so many times is stored as a dead letter, and the next one follows. Never when absent. */
  deadLetter?: { after: number }
}

/** A durable consumer in this process. */
export interface ConsumerState {
  readonly name: string
  /** Number of logged events that it has not handled, those that it does not get included. */
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
  /** `Date.now()` of the next try; 0 when it is not waiting for one. */
  readonly retryAt: number
}

/** The durable consumers, for operators. Methods reject ITEM_UNKNOWN for a consumer that does not run. */
export interface ConsumerControl {
  list(): ConsumerState[]
  /** Moves the cursor in a session that this process serves; the event after `seq` is the next one. */
  move(name: string, session: string, seq: number): Promise<void>
  /** Handles one event out of order for an operator, such as a dead letter, which is removed when this resolves. */
  retry(name: string, event: LogEvent): Promise<void>
}
