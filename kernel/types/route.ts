import type { IncomingMessage } from 'node:http'
import type { Static, TSchema } from 'typebox'
import type { WebSocket } from 'ws'
import type { ErrorCode } from '../errors.ts'
import type { Leaving } from '../leaving.ts'
import type { LiveSession, Session } from './session.ts'
import type { EventPlace, Viewer } from './viewer.ts'

/**
 * Who may call: anyone; any caller with valid credentials and the scope; the admin; the admin or a session's own token; a session
 * token; one whose client is in memory; one that is logged in. The admin token with the header `X-Session` counts as the
 * token of that session.
 */
export type Access = 'public' | 'known' | 'admin' | 'owner' | 'token' | 'client' | 'login'

/**
 * What a caller that a plugin has authenticated must be allowed to do. Nobody has the scope `owner`: it marks routes that
 * accept only the admin token and a session's own token.
 */
export type Scope = 'read' | 'send' | 'manage' | 'admin' | 'owner'

type SessionOf<A extends Access> = A extends 'public' | 'admin'
  ? undefined
  : A extends 'owner' | 'known'
    ? Session | undefined
    : A extends 'login'
      ? LiveSession
      : Session

/** The credentials of a request. A bearer token counts as either kind unless the header of that kind is given. */
export interface Credentials {
  /** The header or query parameter `token`; '' when absent. */
  readonly token: string
  /** The header `admintoken`; '' when absent. */
  readonly adminToken: string
  /** A request header by its lower-case name; '' when absent. */
  header(name: string): string
}

/** The token behind other credentials, for example the one with which a cookie's login was made. */
export interface Login {
  /** Counts as the admin token, a session's, or one known to another plugin. */
  readonly token: string
  /** Aborted, with the error to answer with, when the login ends: streams end. */
  readonly ended: AbortSignal
}

/** A caller that a plugin has authenticated by credentials of its own. */
export interface Caller {
  /** The actor in the log and in an audit log, for example `key:4f2a`. */
  readonly id: string
  readonly scopes: readonly Scope[]
  /** Id of the session that the call is for; absent for one with `access: 'admin'`. */
  readonly session?: string | undefined
  /** Whether the caller may see a session, for routes that show several; all when absent. */
  covers?(session: Session): boolean
  /** Rejects a call that is not allowed; called with the checked body, before the handler. */
  permit?(request: CallerRequest): Promise<void>
  /** Whether the caller may see an event, or a chat by its lane. Everything of its sessions when absent. */
  sees?(place: EventPlace): Promise<boolean>
  /** Aborted, with the error to answer with, when the credentials become invalid: streams end. */
  readonly ended?: AbortSignal
}

export interface CallerRequest {
  readonly route: Route
  /** As the handler receives it: fields by the names of the schema. */
  readonly body: unknown
  readonly params: Readonly<Record<string, string>>
  readonly session: Session | undefined
  /** A request header by its lower-case name; '' when absent. */
  header(name: string): string
}

type BodyOf<B> = B extends TSchema ? Static<B> : undefined

export interface RouteRequest<B extends TSchema | undefined, A extends Access> {
  readonly body: BodyOf<B>
  readonly session: SessionOf<A>
  /** Absent for the admin token and a session's own. */
  readonly caller: Pick<Caller, 'id' | 'scopes'> | undefined
  /** What the caller may see: every lookup by values from the request takes it. */
  readonly viewer: Viewer
  readonly query: URLSearchParams
  readonly params: Readonly<Record<string, string>>
  /** A request header by its lower-case name; '' when absent. */
  header(name: string): string
  /** W3C Trace Context of the request; undefined when absent or invalid. */
  readonly traceparent: string | undefined
  /** Aborted when the client disconnects, when its credentials become invalid, and when the gateway stops. */
  readonly signal: AbortSignal
  /**
   * The raw body, for a route without a `body` schema. Rejects BODY_TOO_LARGE above so many bytes, BODY_UNREADABLE,
   * and BUSY while too many large bodies are held in memory; `raw` is the request itself, for reading it as a stream
   * instead.
   */
  bytes(limit: number): Promise<Buffer>
  /** As `bytes`, for `multipart/form-data`: its fields and files (`File`), held in memory. */
  form(limit: number): Promise<FormData>
  readonly raw: IncomingMessage
  /**
   * Opens the WebSocket that a GET asks for; from then on the handler answers only through it, and should return when it is
   * closed. Until then an error is answered as usual. The gateway closes it with 1001 when it stops. Rejects
   * UPGRADE_REQUIRED, ORIGIN_REFUSED (a page of another origin that CORS does not allow), and FIELD_INVALID for a token in
   * the address: browsers give it as the subprotocol `token.<token>`.
   */
  upgrade(): Promise<WebSocket>
}

export interface RouteSpec<
  B extends TSchema | undefined,
  R extends TSchema | undefined,
  A extends Access,
  D,
> {
  summary: string
  /** Default `login`. */
  access?: A
  /**
   * Default: `read` for GET, the plugin's `scope` for the others; `owner` routes have the scope of that name, `admin` routes
   * too, unless they are for the admin token alone (`owner`).
   */
  scope?: Scope
  /**
   * Its handler does nothing but one send: a process that does not serve the session stores the message for the one that
   * does. If it asks more of the socket, the serving process answers the request.
   */
  isQueueable?: boolean
  /** It shows and changes only items looked up with the request's `viewer`: its body need not name a chat. */
  isFiltered?: boolean
  /** No other call can undo it: it deletes, ends or revokes something. Default: true for DELETE. */
  isDestructive?: boolean
  /**
   * What a call lets out of the account, beside what its fields declare (keyword `leaves`, and formats of addresses and files):
   * `[]` for nothing. Fields with an address stand for `recipient`, or else for the other kind given here. Deliveries to a
   * receiver that was declared when it was set are not declared again. Default: nothing for GET and for the scope `read`;
   * for a route whose fields declare nothing either, everything.
   */
  leaves?: readonly Leaving[]
  /** Repeating it changes nothing more. Default: true for other methods than POST, and for the scope `read`. */
  isIdempotent?: boolean
  /**
   * It decides who receives messages, or reveals credentials of the account: for people and programs, never a tool of an
   * assistant. Default: true where it changes something without a link (`manage` with another access than `login`), and for
   * the scopes `admin` and `owner`.
   */
  isSensitive?: boolean
  /**
   * Its answer goes on until the client ends it: server-sent events, a WebSocket. It takes one of the stream slots of a
   * session, a key and the gateway; without a free one the request is refused before its body is read. `wait` for a route
   * that holds a request only where the query has a `wait` above 0. Default: whether its `response` is `text/event-stream`.
   */
  isStream?: boolean | 'wait'
  /** Also accepts the admin token in the query (`?admintoken`), for routes that a browser opens. */
  adminInQuery?: boolean
  /**
   * Name of the action in an audit log, for example `session.delete`; absent for routes that are not audited. Its target is
   * the session of the token, or the `Id` of the answer to an admin's call.
   */
  audit?: string
  /**
   * Keys match case-insensitively, then by `aliases`; `null` and `""` count as absent unless a field has `allowEmpty: true`;
   * text is accepted for a number. Unknown fields are refused (FIELD_UNKNOWN), see `ignoresUnknown`. A GET takes the fields
   * from the query, too; a repeated parameter is a list.
   */
  body?: B
  /** Query parameters that the handler reads from `query`; with the fields of a GET's `body`, others are unknown. */
  query?: readonly string[]
  /**
   * Unknown fields and query parameters are left out, and listed in the header X-Ignored-Fields: for routes whose clients were
   * written for another gateway. Default: whether its `response` is `text/html`.
   */
  ignoresUnknown?: boolean
  /** Media type of a body that the handler reads itself (`bytes`, `form`, `raw`), for the documentation. */
  upload?: string
  /** Schema of `data`, for the documentation; the test kit checks answers against it. */
  response?: R
  /** Longer text for the API reference, Markdown. */
  description?: string
  /** A body that succeeds, for the documentation. On the network of `wamux sandbox` it succeeds unchanged. */
  example?: NoInfer<BodyOf<B>>
  /** Values of the variables in the path, for the documentation. */
  params?: Readonly<Record<string, string>>
  /** How the example depends on others, in the Postman collection. */
  chain?: ExampleChain
  /** Error codes besides those of any route with its access, for the documentation. */
  errors?: readonly ErrorCode[]
  handle(request: RouteRequest<B, A>, deps: D): Promise<R extends TSchema ? Static<R> | Reply : unknown>
}

/** Values that examples pass to others, by variables of the Postman collection. */
export interface ExampleChain {
  /** Variables that the answer sets: by name, the path to the value in its data, for example `Events.0.eventId`. */
  readonly saves?: Readonly<Record<string, string>>
  /** Variables that replace the example's values: by body or query field, path parameter, or header. */
  readonly uses?: Readonly<Record<string, string>>
  /** It removes something that other examples use, so it runs after all of them. */
  readonly isLast?: true
}

/** An answer that is not the JSON envelope: a page, a file, a stream. */
export interface Reply {
  readonly $type: 'wamux/reply'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | NodeJS.ReadableStream
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Route {
  readonly method: Method
  readonly path: string
  // The builder has checked the types; the kernel only passes on values.
  // biome-ignore lint/suspicious/noExplicitAny: erased once the route is built
  readonly spec: RouteSpec<TSchema | undefined, TSchema | undefined, Access, any>
}

/** One call of a route, as an `around` hook sees it. */
export interface RouteCall {
  readonly route: Route
  /** Address of the client. A hook may correct it, for example for a request forwarded by another process. */
  address: string
  /** Id of the request, as in the log and in the answer's `X-Request-Id`. */
  readonly request: string
  /** Whether the request has a token of the kind that the route requires, valid or not. */
  readonly hasToken: boolean
  /** Whether one of its tokens is compared with the admin token. */
  readonly mayBeAdmin: boolean
  /** `admin`, or the id of a session or a `Caller`; '' for a public route, and until the caller is known. */
  readonly actor: string
  /** Id of the session that the call is for; '' for none, and until the caller is known. */
  readonly session: string
  /** The incoming request; its body is unread until the caller is known to have a session that this process owns. */
  readonly raw: IncomingMessage
  /** Same as the request's, for a hook that answers in place of the handler. */
  upgrade(): Promise<WebSocket>
  /** The parsed body; undefined until it is read. */
  readonly body: unknown
  /** The body as the handler receives it; undefined until it is checked. */
  readonly checked: unknown
  /** Whether its handler was called: the caller is authorized, and the body is valid. */
  readonly isHandled: boolean
}

type AddRoute<D> = <
  B extends TSchema | undefined = undefined,
  R extends TSchema | undefined = undefined,
  A extends Access = 'login',
>(
  path: string,
  spec: RouteSpec<B, R, A, D>,
) => Route

export interface RouteBuilder<D> {
  get: AddRoute<D>
  post: AddRoute<D>
  put: AddRoute<D>
  patch: AddRoute<D>
  delete: AddRoute<D>
}
