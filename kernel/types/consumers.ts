import type { EventFilter, LogEvent } from './events.ts'
import type { Write } from './storage.ts'

/**
 * A durable reader of the log with a cursor in each session; gets every event at least once, those of a session in order,
 * in the process that serves the session.
 */
export interface Consumer<D> {
  /**
   * Handles at most `batch` events (default 200), of several sessions. After an error each of these sessions is tried
   * again by itself, so calls for different sessions may overlap; those for one session never do. Reject PLUGIN_UNAVAILABLE
   * when what it needs is down: no event is at fault, and the same ones are tried again until it is back.
   */
  handle(events: readonly LogEvent[], deps: D): Promise<readonly Write[] | void>
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
  readonly lanes: readonly LaneState[]
}

export interface LaneState {
  readonly session: string
  readonly lag: number
  /** Number of failures since the last success. */
  readonly failures: number
  /** Of the last failure; '' for none. */
  readonly error: string
  /** `Date.now()` of the next try; 0 when it is not waiting for one. */
  readonly retryAt: number
}

/** The durable consumers, for operators. Methods reject ITEM_UNKNOWN for a consumer that does not run. */
export interface ConsumerControl {
  list(): ConsumerState[]
  /** Moves the cursor in a session that this process serves; the event after `seq` is the next one. */
  move(name: string, session: string, seq: number): Promise<void>
  /** Handles one event out of order, such as a dead letter, which is removed when this resolves. */
  retry(name: string, event: LogEvent): Promise<void>
}

/** Runs the consumers of all plugins. A plugin with `consume` needs the service `consumerRunner`. */
export interface ConsumerRunner extends ConsumerControl {
  /** Starts a consumer at its cursors; a new one starts at the end of the log. Called when all plugins have started. */
  start(consumer: BoundConsumer, lines: OwnLines): Promise<void>
  /** Stores the cursors of sessions whose lines a consumer does not get: retention keeps what is not handled. */
  skip(): Promise<void>
  /** Waits for the batches under way; each cursor stays where it is committed. */
  stop(): Promise<void>
}

/** A plugin's consumer, called with the plugin's dependencies. */
export interface BoundConsumer extends Omit<Consumer<never>, 'handle' | 'sessions'> {
  /** The plugin's name, which names the cursors; stays the same over restarts. */
  readonly name: string
  handle(events: readonly LogEvent[]): Promise<readonly Write[] | void>
  sessions?(session: string): boolean
}

/** The log as this process writes it: what a runner reads beside `Events`. */
export interface OwnLines {
  /** Lines after `seq` that this process logged, from memory; undefined when some of them are not kept any more. */
  own(seq: number, limit: number): LogEvent[] | undefined
  /** Number of own lines after `seq` that are kept. */
  count(seq: number): number
  /** All own lines after this seq are kept. */
  since(): number
  /** The newest own line; at first 0. */
  newest(): number
  /** Of each session at most `limit` lines after its seq, oldest first, in one query. */
  afterEach(
    seqs: readonly [session: string, seq: number][],
    limit: number,
    filter: EventFilter,
  ): Promise<LogEvent[]>
  /** Calls `listener` when it is unknown whether lines of a session were committed: the table may have them. */
  watchLost(listener: (session: string) => void): void
}
