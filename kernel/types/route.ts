import type { Static, TSchema } from 'typebox'
import type { LiveSession, Session } from './session.ts'

/** Who may call: anyone; the admin; a token; a token with a client in memory; one that is logged in. */
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
  /** One request header, lower-case name; '' when absent. */
  header(name: string): string
  /** Aborted when the client goes away and when the gateway stops. */
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
  /** Takes the admin token from the query too (`?admintoken`), where a browser must be able to call it. */
  adminInQuery?: boolean
  /**
   * What an audit log calls it, as `session.delete`; absent for what is not noted. Its target is the session of the
   * token, or for an admin's call the `Id` of the answer.
   */
  audit?: string
  /**
   * Keys match case-insensitively, then by `aliases`; `null` and `""` are absent unless a field says `allowEmpty: true`;
   * text stands for a number. Unknown fields are left out, and refused where `additionalProperties` is `false`.
   */
  body?: B
  /** Schema of `data`; documentation, and checked under the test kit. */
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
  // The builder checked the types; the kernel only passes values through.
  // biome-ignore lint/suspicious/noExplicitAny: erased once the route is built
  readonly spec: RouteSpec<TSchema | undefined, TSchema | undefined, Access, any>
}

/** One call of a route, as an `around` hook sees it. */
export interface RouteCall {
  readonly route: Route
  /** Where it comes from. */
  readonly address: string
  /** Its id, as in the log and in the answer's `X-Request-Id`. */
  readonly request: string
  /** Whether it brought a token of the kind that the route asks for, right or wrong. */
  readonly hasToken: boolean
  /** `admin`, or the id of a session; '' for a public route, and until the caller is known. */
  readonly actor: string
  /** Whether its handler was reached: the caller may do this, and the body fits. */
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
