import type { TSchema } from 'typebox'
import type { CloseReason } from './driver.ts'
import type { Write } from './storage.ts'

/** Facts raised inside the process, by the kernel and by the driver. Grows by declaration merging. */
export interface GatewaySignals {
  /** A link is up and authenticated. */
  'session.opened': { jid: string; lid: string; name: string }
  /** The link is down. `retryIn` is milliseconds until the next attempt, absent when none follows. */
  'session.closed': { reason: CloseReason; detail: string; retryIn?: number }
  /** A QR text to show; `expires` is milliseconds from now. */
  'session.qr': { code: string; expires: number }
  /** The account accepted the link; the socket restarts once before it opens. */
  'session.paired': { jid: string; lid: string; platform: string; businessName: string }
  /** The account asks for a passkey, which a gateway can't answer. */
  'session.passkey': { detail: string }
}

/** Bodies of logged events by type (`Message`, `ReadReceipt` …). Grows by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the plugins
export interface GatewayEvents {}

/** A line for the log, as a translator makes it. */
export interface NewEvent {
  type: keyof GatewayEvents & string
  /** Makes the id deterministic: equal session, type and key mean the same event. Absent: always new. */
  key?: string
  /** The chat whose order must hold; absent for events that belong to the session as a whole. */
  chat?: string
  /** When it happened on the network, RFC 3339. */
  time?: string
  /** `{ event: {...}, state?: ... }`: what receivers get beside the envelope's own fields. */
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
  /** Equal for events whose order must hold: the session, or in it one chat; tells nothing of the chat. */
  readonly lane: string
  readonly time: string
  readonly body: Record<string, unknown>
}

export interface Signal<K extends keyof GatewaySignals = keyof GatewaySignals> {
  readonly name: K
  readonly session: string
  readonly time: string
  readonly data: GatewaySignals[K]
}

/** What a translator makes of a signal: log lines, and rows of its own in the same commit. */
export interface Recording {
  events?: readonly NewEvent[]
  writes?: readonly Write[]
}

export interface EventDeclaration {
  /** The Subscribe value that covers it; `All` where only All does. */
  class: string
  summary: string
  /** Of `event` in the body. */
  schema?: TSchema
  /** Fields of the body beside `event` that only this type has. */
  beside?: Readonly<Record<string, TSchema>>
}

/** A durable reader of the log with a cursor of its own; sees every event at least once, in order. */
export interface Consumer<D> {
  /** Several in order, at most `batch` (default 200). Throwing means: again later, same events. */
  handle(events: readonly LogEvent[], deps: D): Promise<readonly Write[] | void>
  batch?: number
}

/** What of the log is asked for; absent means everything. */
export interface EventFilter {
  session?: string
  /** `All` among them stands for every class. */
  classes?: readonly string[]
}

/** What a client's list of event classes means. */
export interface Subscription {
  /** By their declared names; All for an empty list, none where all that was given is unknown. */
  readonly classes: readonly string[]
  /** For the answer: what was given and no enabled plugin provides, and whether nothing is left. */
  readonly notice: { dropped?: string[]; warning?: string }
}

/** What the log holds of one session, by seq. */
export interface EventBounds {
  /** The newest line that retention dropped, 0 for none: who stands before it has missed something. */
  readonly dropped: number
  /** The oldest and the newest line that are kept, 0 for none. */
  readonly oldest: number
  readonly newest: number
}

export interface Events {
  /**
   * Translates, commits events and `writes` in one transaction, then runs handlers. In order per session. Rejects,
   * with nothing written, where the storage failed, in a translator too: raise it again once the storage answers.
   *
   * @param fence as for `PluginDb.write`.
   */
  raise<K extends keyof GatewaySignals>(
    session: string,
    name: K,
    data: GatewaySignals[K],
    writes?: readonly Write[],
    fence?: AbortSignal,
  ): Promise<readonly LogEvent[]>
  /** Classes that the enabled plugins provide, sorted, without All. */
  classes(): string[]
  /** Reads a list of classes that a client subscribes to. Letters may have any case; never throws. */
  subscription(names: readonly string[]): Subscription
  /** The classes by their declared names. Throws CLASS_UNKNOWN for one that no enabled plugin provides. */
  assertClasses(names: readonly string[] | undefined): string[]
  /** Reads the log after `seq`, oldest first. */
  after(seq: number, limit: number, filter?: EventFilter): Promise<LogEvent[]>
  /** Lines by seq, oldest first; those that are no longer kept are left out. */
  lines(seqs: readonly number[]): Promise<LogEvent[]>
  /** One line by its id. */
  find(id: string): Promise<LogEvent | undefined>
  bounds(session: string): Promise<EventBounds>
  /** Called after each commit with what was logged; returns the way to stop. */
  watch(listener: (events: readonly LogEvent[]) => void): () => void
}
