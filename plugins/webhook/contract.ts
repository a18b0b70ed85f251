import type { LogEvent, Session } from 'wamux/plugin'

/**
 * What an edit or a deletion of a message becomes: `native`, as the format has it; `unsupported`, a message of which the
 * format says that it can't be shown; `none`, nothing.
 */
export type Edits = 'native' | 'unsupported' | 'none'

/** What the bodies of an event are made for. */
export interface FormatContext {
  readonly session: Session
  /** JID of the session at the time of the event; '' where it was not linked. */
  readonly jid: string
  /** What the endpoint has chosen, where an edit is delivered at all. */
  readonly edits: Exclude<Edits, 'none'>
  /** The session's token, where the bodies of the endpoint hold it. */
  readonly token: string | undefined
}

/** What a signature may cover besides the body. */
export interface Signing {
  /** Id of the request, equal on every attempt: the event's id, with the body's number after the first body. */
  readonly id: string
  /** Time of the attempt, milliseconds since 1970. */
  readonly now: number
  /** The secret before the current one, for a day after a rotation. */
  readonly oldSecret: string | undefined
}

export type FormatBody = string | Buffer

/**
 * The form of a webhook's requests: `contributes: { webhookFormats: (deps) => ({ … }) }`. An endpoint names its format;
 * storing, order, retries, dead letters and replay are the same for all of them.
 */
export interface WebhookFormat {
  /** As the field `Format` of an endpoint has it: lower-case letters, digits and dashes. */
  readonly name: string
  /** For people. */
  readonly title?: string
  /** Sent with every request; `content-type: application/json` unless given. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** What an endpoint may choose for edits and deletions, the default first; `['native', 'none']` when absent. */
  readonly edits?: readonly Edits[]
  /**
   * Whether an event that the endpoint subscribes to is delivered in this format; every one when absent. Asked once, when the
   * event is logged, so it may depend on settings.
   */
  accepts?(event: LogEvent, session: Session): boolean | Promise<boolean>
  /**
   * The bodies of an event, each of which is one request, in order; none for an event that the format has no word for. Must be
   * the same on every attempt, so it depends on the event and on what is never changed after it.
   */
  bodiesOf(
    event: LogEvent,
    context: FormatContext,
  ): FormatBody | readonly FormatBody[] | Promise<FormatBody | readonly FormatBody[]>
  /** The headers that prove where a request comes from, names in lower case. Not called for an endpoint without a secret. */
  sign?(body: Buffer, secret: string, signing: Signing): Record<string, string>
}

/** What another plugin sets of an endpoint of its own. */
export interface OwnEndpoint {
  readonly url: string
  readonly format: string
  /** Event classes; All when absent. */
  readonly subscribe?: readonly string[]
  /** Signs the requests. */
  readonly secret: string
}

/** An endpoint that another plugin has set. */
export interface OwnEndpointView extends OwnEndpoint {
  readonly id: string
  /** `active`; `disabled` after days of failures; `gone` after a 410. */
  readonly state: 'active' | 'disabled' | 'gone'
  /** Why it was disabled; '' while it is active. */
  readonly reason: string
}

/** How deliveries to an endpoint go. */
export interface EndpointProgress {
  /** Events that wait. */
  readonly waiting: number
  /** Dead letters. */
  readonly dead: number
  /** Status or error of the last attempt that failed, of those that wait or are dead; '' for none. */
  readonly lastError: string
}

/** A body that another plugin had stored for a session before the endpoint was there. */
export interface Adopted {
  /** Id of its event. */
  readonly seq: number
  /** Number of the body among those of the event. */
  readonly part: number
  readonly isDead: boolean
}

/**
 * Endpoints that other plugins set for sessions, one by each name in a session. They are endpoints like any other: clients see,
 * test and remove them by the routes of the plugin `webhook`.
 */
export interface Webhooks {
  of(session: Session, name: string): OwnEndpointView | undefined
  /** Makes or changes it, and enables it again: what waits is tried at once. Rejects FIELD_INVALID for the address. */
  set(session: Session, name: string, endpoint: OwnEndpoint): Promise<OwnEndpointView>
  /** With all that waits for it; resolves with whether there was one. */
  remove(session: Session, name: string): Promise<boolean>
  progress(session: Session, name: string): Promise<EndpointProgress>
  /** Makes dead letters wait again, enables the endpoint and tries everything at once. Rejects ITEM_UNKNOWN. */
  retry(session: Session, name: string): Promise<void>
  /**
   * For a plugin that had deliveries of its own: makes the endpoint unless it is there, with what it had stored, and what is
   * in the log after `handled`. To be called before consumers run (`setup`); may be repeated.
   */
  adopt(
    session: Session,
    name: string,
    endpoint: OwnEndpoint,
    stored: { readonly bodies: readonly Adopted[]; readonly handled: number },
  ): Promise<void>
}

declare module 'wamux/plugin' {
  interface GatewayContributions {
    webhookFormats: WebhookFormat
  }
  interface GatewayServices {
    webhooks: Webhooks
  }
}
