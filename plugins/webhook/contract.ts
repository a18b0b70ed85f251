import type { LogEvent, Recording, Session } from 'wamux/plugin'

/**
 * The form of an edit or a deletion of a message: `native`, the format's own; `unsupported`, a message that the format marks
 * as not displayable; `none`, no delivery.
 */
export type Edits = 'native' | 'unsupported' | 'none'

/** Context for the bodies of an event. */
export interface FormatContext {
  readonly session: Session
  /** JID of the session at the time of the event; '' if it was not linked. */
  readonly jid: string
  /** The endpoint's choice, if edits are delivered at all. */
  readonly edits: Exclude<Edits, 'none'>
  /** The session's token, if the endpoint's bodies contain it. */
  readonly token: string | undefined
  /** Address of the endpoint. */
  readonly url: string
  /** The names of the format's `events` that the endpoint chose; undefined if it chose none. */
  readonly events: ReadonlySet<string> | undefined
}

/** A request with a body of a format. */
export interface FormatRequest {
  /** The same on every attempt: the event's id, with the body's number appended after the first body. */
  readonly id: string
  /** Time of the attempt, milliseconds since 1970. */
  readonly now: number
}

/** Values that a signature may cover besides the body. */
export interface Signing extends FormatRequest {
  /** The secret before the current one, for a day after a rotation. */
  readonly oldSecret: string | undefined
}

export type FormatBody = string | Buffer

/**
 * The form of a webhook's requests: `contributes: { webhookFormats: (deps) => ({ … }) }`. An endpoint names its format;
 * storing, order, retries, dead letters and replay are the same for all of them.
 */
export interface WebhookFormat {
  /** The value of an endpoint's field `Format`: lower-case letters, digits and dashes. */
  readonly name: string
  /** Display name. */
  readonly title?: string
  /** Sent with every request; `content-type: application/json` unless given. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | ((request: FormatRequest) => Record<string, string>)
  /** The token is part of every body, unless the endpoint was set with a key or is of all sessions. */
  readonly includesToken?: boolean
  /**
   * Names that the format has for events. An endpoint may choose some of them with its field `Events`: `context.events`. One
   * that chose none receives what the format sends by default.
   */
  readonly events?: readonly string[]
  /** The choices of an endpoint for edits and deletions, the default first; `['native', 'none']` when absent. */
  readonly edits?: readonly Edits[]
  /**
   * Whether a subscribed event is delivered in this format; every one when absent. Called once, when the event is logged, so
   * it may depend on settings.
   */
  accepts?(event: LogEvent, session: Session): boolean | Promise<boolean>
  /**
   * The bodies of an event in order, each one request; none for an event without a form in this format. Must be the same on
   * every attempt, so it may depend only on the event and on data that does not change afterwards.
   */
  bodiesOf(
    event: LogEvent,
    context: FormatContext,
  ): FormatBody | readonly FormatBody[] | Promise<FormatBody | readonly FormatBody[]>
  /** The headers that authenticate a request, names in lower case. Not called for an endpoint without a secret. */
  sign?(body: Buffer, secret: string, signing: Signing): Record<string, string>
}

/** The properties that another plugin sets of its own endpoint. */
export interface OwnEndpoint {
  readonly url: string
  readonly format: string
  /** Event classes; All when absent. */
  readonly subscribe?: readonly string[]
  /** Signs the requests. */
  readonly secret: string
}

/** An endpoint set by another plugin. */
export interface OwnEndpointView extends OwnEndpoint {
  readonly id: string
  /** `active`; `paused` by a client; `disabled` after days of failures; `gone` after a 410. */
  readonly state: 'active' | 'paused' | 'disabled' | 'gone'
  /** Reason why it was disabled; '' while it is active. */
  readonly reason: string
}

/** The state of deliveries to an endpoint. */
export interface EndpointProgress {
  /** Number of pending events. */
  readonly waiting: number
  /** Number of dead letters. */
  readonly dead: number
  /** Status or error of the last failed attempt of pending and dead deliveries; '' for none. */
  readonly lastError: string
}

/** A request of another plugin, which stores and repeats it. */
export interface SignedPost {
  /** The same on every attempt. */
  readonly id: string
  /** JSON. */
  readonly body: string
  /** `whsec_` and base64; '' for none: the request is then not signed. */
  readonly secret: string
  /** 1 for the first attempt. */
  readonly attempt: number
}

/**
 * Endpoints that other plugins set for sessions, one per name in a session. They are ordinary endpoints: clients see, test
 * and remove them by the routes of the plugin `webhook`.
 */
export interface Webhooks {
  of(session: Session, name: string): OwnEndpointView | undefined
  /**
   * Creates or changes it and enables it again: pending deliveries are attempted at once. Rejects FIELD_INVALID for the
   * address.
   */
  set(session: Session, name: string, endpoint: OwnEndpoint): Promise<OwnEndpointView>
  /** Removes it with its pending deliveries; resolves with whether it existed. */
  remove(session: Session, name: string): Promise<boolean>
  progress(session: Session, name: string): Promise<EndpointProgress>
  /** Requeues dead letters, enables the endpoint and attempts everything at once. Rejects ITEM_UNKNOWN. */
  retry(session: Session, name: string): Promise<void>
  /**
   * Posts something that is no event of a session, with the headers and the signature of a delivery in the format `wamux`.
   * One attempt; rejects with the reason unless the receiver accepts it.
   */
  post(url: string, request: SignedPost): Promise<void>
}

/** Who acts in a made event, and when. */
export interface SampleScene {
  readonly session: Session
  /** Somebody who does not exist: the number is reserved, so that a receiver which answers writes to nobody. */
  readonly person: { readonly name: string; readonly jid: string; readonly lid: string }
  /** RFC 3339. */
  readonly time: string
  /** Id of a message. */
  readonly id: string
}

/**
 * Makes an event that did not happen, with which a webhook is tested, by the translation of what the network would send. Only
 * the event of the recording is used; nothing may be changed.
 */
export type EventSample = (scene: SampleScene) => Recording | undefined | Promise<Recording | undefined>

declare module 'wamux/plugin' {
  interface GatewayContributions {
    /** By name, for example `message.text`. */
    eventSamples: Readonly<Record<string, EventSample>>
    /** A format, or several. */
    webhookFormats: WebhookFormat | readonly WebhookFormat[]
  }
  interface GatewayServices {
    webhooks: Webhooks
  }
}
