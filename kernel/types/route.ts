import type { IncomingMessage } from 'node:http'
import type { Static, TSchema } from 'typebox'
import type { LiveSession, Session } from './session.ts'

/** Who may call: anyone; the admin; a session token; one whose client is in memory; one that is logged in. */
export type Access = 'public' | 'admin' | 'token' | 'client' | 'login'

type SessionOf<A extends Access> = A extends 'public' | 'admin'
  ? undefined
  : A extends 'login'
    ? LiveSession
    : Session

type BodyOf<B> = B extends TSchema ? Static<B> : undefined

export interface RouteRequest<B extends TSchema | undefined, A extends Access> {
  readonly body: BodyOf<B>
  readonly session: SessionOf<A>
  readonly query: URLSearchParams
  readonly params: Readonly<Record<string, string>>
  /** A request header by its lower-case name; '' when absent. */
  header(name: string): string
  /** W3C Trace Context of the request; undefined when absent or invalid. */
  readonly traceparent: string | undefined
  /** Aborted when the client disconnects and when the gateway stops. */
  readonly signal: AbortSignal
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
  /** Schema of `data`, for the documentation; the test kit checks answers against it. */
  response?: R
  /** Longer text for the API reference, Markdown. */
  description?: string
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
  /** `admin`, or the id of a session; '' for a public route, and until the caller is known. */
  readonly actor: string
  /** The request as it came in; its body is unread until the caller is known to have a session that this process owns. */
  readonly raw: IncomingMessage
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
