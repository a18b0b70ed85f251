import type { IncomingMessage } from 'node:http'
import type { Static, TSchema } from 'typebox'
import type { WebSocket } from 'ws'
import type { ErrorCode } from '../errors.ts'
import type { LogEvent } from './events.ts'
import type { LiveSession, Session } from './session.ts'

/**
 * Who may call: anyone; any caller with valid credentials; the admin; the admin or a session's own token; a session
 * token; one whose client is in memory; one that is logged in. The admin token with the header `X-Session` counts as the
 * token of that session.
 */
export type Access = 'public' | 'known' | 'admin' | 'owner' | 'token' | 'client' | 'login'

/**
 * What a caller that a plugin has authenticated must be allowed to do. Nobody has the scope `owner`: it is that of routes
 * which take the admin token and a session's own token only.
 */
export type Scope = 'read' | 'send' | 'manage' | 'admin' | 'owner'

type SessionOf<A extends Access> = A extends 'public' | 'admin'
  ? undefined
  : A extends 'owner' | 'known'
    ? Session | undefined
    : A extends 'login'
      ? LiveSession
      : Session

/** What a request proves its right with. A bearer token counts as either of both, unless its own header is given. */
export interface Credentials {
  /** Of the header or the query `token`; '' without one. */
  readonly token: string
  /** Of the header `admintoken`; '' without one. */
  readonly adminToken: string
  /** A request header by its lower-case name; '' when absent. */
  header(name: string): string
}

/** What stands behind other credentials, such as the token with which the login of a cookie was made. */
export interface Login {
  /** Counts as either the admin token, a session's, or what another plugin knows. */
  readonly token: string
  /** Aborted, with the error to answer with, when the login ends: streams end. */
  readonly ended: AbortSignal
}

/** A caller that a plugin has authenticated, by other credentials than the kernel's. */
export interface Caller {
  /** The actor in the log and in an audit log, such as `key:4f2a`. */
  readonly id: string
  readonly scopes: readonly Scope[]
  /** Id of the session that the call is for; absent for one with `access: 'admin'`. */
  readonly session?: string | undefined
  /** Whether it may be for that session, for routes that show several; for all when absent. */
  covers?(session: Session): boolean
  /** Rejects a call that is not allowed; called with the checked body, before the handler. */
  permit?(request: CallerRequest): Promise<void>
  /** Whether the caller may read the event; all of its session when absent. */
  sees?(event: LogEvent): Promise<boolean>
  /** Aborted, with the error to answer with, when the credentials cease to be valid: streams end. */
  readonly ended?: AbortSignal
}

export interface CallerRequest {
  readonly route: Route
  /** As the handler gets it: fields by the names of the schema. */
  readonly body: unknown
  readonly params: Readonly<Record<string, string>>
  readonly session: Session | undefined
}

type BodyOf<B> = B extends TSchema ? Static<B> : undefined

export interface RouteRequest<B extends TSchema | undefined, A extends Access> {
  readonly body: BodyOf<B>
  readonly session: SessionOf<A>
  /** Absent for the admin token and a session's own. */
  readonly caller: Caller | undefined
  readonly query: URLSearchParams
  readonly params: Readonly<Record<string, string>>
  /** A request header by its lower-case name; '' when absent. */
  header(name: string): string
  /** W3C Trace Context of the request; undefined when absent or invalid. */
  readonly traceparent: string | undefined
  /** Aborted when the client disconnects, when its credentials cease to be valid, and when the gateway stops. */
  readonly signal: AbortSignal
  /**
   * The body as it came, for a route without a `body` schema. Rejects BODY_TOO_LARGE above so many bytes, BODY_UNREADABLE,
   * and BUSY while too many large bodies are held in memory; `raw` is the request itself, to be read as a stream instead.
   */
  bytes(limit: number): Promise<Buffer>
  /** As `bytes`, for `multipart/form-data`: its fields and files (`File`), held in memory. */
  form(limit: number): Promise<FormData>
  readonly raw: IncomingMessage
  /**
   * Opens the WebSocket that a GET asks for; from then on the handler answers by it alone, and should return when it is
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
  /** Default: `read` for GET, the plugin's `scope` for the others; `admin` and `owner` routes have the scope of that name. */
  scope?: Scope
  /**
   * Its handler does nothing beside one send: a process that does not serve the session stores the message for the one that
   * does. Where it asks more of the socket, the request is answered by that process.
   */
  isQueueable?: boolean
  /** It shows nothing but events, and to a caller only those that it `sees`. */
  isFiltered?: boolean
  /** Accepts the admin token in the query too (`?admintoken`), for routes that a browser opens. */
  adminInQuery?: boolean
  /**
   * Name of the action in an audit log, such as `session.delete`; absent for routes that are not audited. Its target is the
   * session of the token, or the `Id` of the answer to an admin's call.
   */
  audit?: string
  /**
   * Keys match case-insensitively, then by `aliases`; `null` and `""` count as absent unless a field has `allowEmpty: true`;
   * text is accepted for a number. Unknown fields are left out, and refused where `additionalProperties` is `false`.
   */
  body?: B
  /** Media type of a body that the handler reads by itself (`bytes`, `form`, `raw`), for the documentation. */
  upload?: string
  /** Schema of `data`, for the documentation; the test kit checks answers against it. */
  response?: R
  /** Longer text for the API reference, Markdown. */
  description?: string
  /** A body that succeeds, for the documentation. */
  example?: NoInfer<BodyOf<B>>
  /** Codes that it fails with beside those of any route with its access, for the documentation. */
  errors?: readonly ErrorCode[]
  handle(request: RouteRequest<B, A>, deps: D): Promise<R extends TSchema ? Static<R> | Reply : unknown>
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
  // The builder has checked the types; the kernel only passes values on.
  // biome-ignore lint/suspicious/noExplicitAny: erased once the route is built
  readonly spec: RouteSpec<TSchema | undefined, TSchema | undefined, Access, any>
}

/** One call of a route, as an `around` hook sees it. */
export interface RouteCall {
  readonly route: Route
  /** Address of the client. */
  readonly address: string
  /** Id of the request, as in the log and in the answer's `X-Request-Id`. */
  readonly request: string
  /** Whether the request has a token of the kind that the route requires, valid or not. */
  readonly hasToken: boolean
  /** `admin`, the id of a session, or that of a `Caller`; '' for a public route, and until the caller is known. */
  readonly actor: string
  /** Id of the session that the call is for; '' for none, and until the caller is known. */
  readonly session: string
  /** The request as it came in; its body is unread until the caller is known to have a session that this process owns. */
  readonly raw: IncomingMessage
  /** As that of the request, for a hook that answers in place of the handler. */
  upgrade(): Promise<WebSocket>
  /** The parsed body; undefined until it was read. */
  readonly body: unknown
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
