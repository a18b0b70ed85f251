import type { TSchema } from 'typebox'
import type { CloseReason } from './driver.ts'
import type { Write, WriteOptions } from './storage.ts'
import type { Viewer } from './viewer.ts'

export interface RaiseOptions extends WriteOptions {
  /** `traceparent` of the request that caused the events; a field of their bodies. */
  readonly traceparent?: string | undefined
  /** Where the signal comes from, for the event `Unreadable`; called only for that. */
  origin?(): SignalOrigin
}

/** What is known of a signal without reading its content. */
export interface SignalOrigin {
  /** JIDs. */
  readonly chat?: string | undefined
  readonly sender?: string | undefined
  readonly fromMe?: boolean | undefined
  /** Id of the message, the receipt or the call. */
  readonly id?: string | undefined
  /** RFC 3339. */
  readonly time?: string | undefined
  /** The content as received; the event has the first 64 KiB of it. */
  readonly bytes?: Uint8Array | undefined
}

/** Signals inside the process, raised by the kernel and by the driver. Grows by declaration merging. */
export interface GatewaySignals {
  /** A link is up and authenticated. */
  'session.opened': { jid: string; lid: string; name: string }
  /** The link is down. `retryIn` is milliseconds until the next attempt, absent when none follows. */
  'session.closed': { reason: CloseReason; detail: string; retryIn?: number }
  /** A QR text to show; `expires` is milliseconds from now. */
  'session.qr': { code: string; expires: number }
  /** The account accepted the link; the socket restarts once before it opens. */
  'session.paired': { jid: string; lid: string; platform: string; businessName: string }
  /** A step of linking with a passkey: one is required, a code (`detail`) must be compared, or it failed. */
  'session.passkey': { step: 'passkey' | 'passkey-confirm' | 'passkey-failed'; detail: string }
}

/** Bodies of logged events by type (`Message`, for example). Grows by declaration merging. */
export interface GatewayEvents {
  /** Logged by the kernel, declared by the driver: stands for what a signal would have been, had it been readable. */
  Unreadable: { event: Record<string, unknown> }
}

/** A line for the log, created by a translator. */
export interface NewEvent {
  type: keyof GatewayEvents & string
  /** Replaces the declared class. */
  class?: string
  /** Makes the id deterministic: equal session, type and key are the same event. Without it, every event is new. */
  key?: string
  /** The chat whose events are kept in order; absent for events of the session as a whole. */
  chat?: string
  /** When it happened on the network, RFC 3339. */
  time?: string
  /** `{ event: {...}, state?: ... }`: what receivers get in addition to the envelope's fields. */
  body: Record<string, unknown>
}

/** A line of the log. */
export interface LogEvent {
  readonly seq: number
  /** `evt_` and 26 characters; equal on every redelivery. */
  readonly id: string
  readonly session: string
  readonly class: string
  readonly type: string
  /** Equal for events that are kept in order: the events of the session itself, or of one chat. Does not reveal the chat. */
  readonly lane: string
  readonly time: string
  readonly body: Record<string, unknown>
  /** The body as JSON, so that passing it on needs no parsing; absent if an event is not from the log. */
  readonly json?: string
  /** When it was logged, milliseconds since 1970; absent if an event is not from the log. */
  readonly logged?: number
}

export interface Signal<K extends keyof GatewaySignals = keyof GatewaySignals> {
  readonly name: K
  readonly session: string
  readonly time: string
  readonly data: GatewaySignals[K]
}

/** The translation of a signal: log lines, and rows written in the same commit. */
export interface Recording {
  events?: readonly NewEvent[]
  writes?: readonly Write[]
}

export interface EventDeclaration {
  /** The Subscribe value that includes it; `All` if only All does. */
  class: string
  summary: string
  /** Schema of `event` in the body. */
  schema?: TSchema
  /** Fields of the body besides `event` that only this type has. */
  beside?: Readonly<Record<string, TSchema>>
}

/** Restricts the lines to read; everything when absent. */
export interface EventFilter {
  session?: string
  /** `All` among them stands for every class. */
  classes?: readonly string[]
  types?: readonly string[]
  /** Only events of one lane, for example of one chat: `lane` of an event. */
  lane?: string
  /**
   * Ends the lines that are read from the table before the one with which they are larger than so many bytes, but never before
   * the first: fewer lines than the limit then need not be the last ones.
   */
  bytes?: number
}

/** The event classes that a client's list subscribes to. */
export interface Subscription {
  /** Declared names; All for an empty list, `None` alone when all given names are unknown. */
  readonly classes: readonly string[]
  /** For the answer: given names that no enabled plugin provides, and a warning if no class is left. */
  readonly notice: { dropped?: string[]; warning?: string }
}

/** The range of lines that the log has of one session, by seq. */
export interface EventBounds {
  /** The newest line that retention dropped, 0 for none: a reader whose cursor is before it has missed events. */
  readonly dropped: number
  /** The oldest and the newest line that exist, 0 for none. */
  readonly oldest: number
  readonly newest: number
}

export interface Events {
  /**
   * Translates, commits events and `writes` in one transaction, then runs handlers; in order per session. Rejects, with
   * nothing written, when the storage fails, even within a translator: raise the signal again once the storage answers.
   * Where a translator fails for another reason, the log gets the event `Unreadable` instead of its events.
   */
  raise<K extends keyof GatewaySignals>(
    session: string,
    name: K,
    data: GatewaySignals[K],
    writes?: readonly Write[],
    options?: RaiseOptions,
  ): Promise<readonly LogEvent[]>
  /**
   * Logs the event `Unreadable` and commits `writes`, for content of which no signal `name` can be made. Not for errors of the
   * storage: the same content can be read later.
   */
  unreadable(
    session: string,
    name: keyof GatewaySignals,
    error: unknown,
    writes?: readonly Write[],
    options?: RaiseOptions,
  ): Promise<readonly LogEvent[]>
  /** Classes that the enabled plugins provide, sorted, without All. */
  classes(): string[]
  /** Resolves a list of classes that a client subscribes to. Case does not matter; never throws. */
  subscription(names: readonly string[]): Subscription
  /** The declared names of the classes. Throws CLASS_UNKNOWN for a class that no enabled plugin provides. */
  assertClasses(names: readonly string[] | undefined): string[]
  /**
   * Reads the log after `seq`, oldest first. Across all sessions, if several processes write, it returns lines only once
   * none can appear before them; look again after a second.
   */
  after(seq: number, limit: number, filter?: EventFilter): Promise<LogEvent[]>
  /** Reads the log before `seq`, newest first. */
  before(seq: number, limit: number, filter?: EventFilter): Promise<LogEvent[]>
  /** Seq of the first line logged at or after `time` (milliseconds since 1970); undefined if there is none. */
  seqAt(time: number): Promise<number | undefined>
  /** Lines by seq, oldest first, without dropped ones. */
  lines(seqs: readonly number[]): Promise<LogEvent[]>
  /** One line by its id; undefined also if the viewer does not see it. */
  find(id: string, viewer: Viewer): Promise<LogEvent | undefined>
  bounds(session: string): Promise<EventBounds>
  /** The lane of a chat's events. */
  lane(session: string, chat: string): string
  /** Calls `listener` after each commit of this process with the new lines; returns the function that stops it. */
  watch(listener: (events: readonly LogEvent[]) => void): () => void
}
