import type { components, paths, webhooks } from './api.ts'

export type ErrorCode = components['schemas']['Error']['errorCode']

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

type Json<C> = C extends { content: { 'application/json': infer B } } ? B : never

/** The paths with that method. `Paths` is the type `paths` of openapi-typescript. */
export type PathOf<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends { [K in M]: { responses: unknown } } ? P : never
}[keyof Paths] &
  string

type OperationOf<Paths, M extends Method, P extends keyof Paths> = Paths[P] extends { [K in M]: infer O }
  ? O
  : never

/** Fields of the body. */
export type BodyOf<Paths, M extends Method, P extends keyof Paths> =
  OperationOf<Paths, M, P> extends {
    requestBody?: infer B
  }
    ? Json<NonNullable<B>>
    : never

type ParametersOf<O, Place extends string> = O extends { parameters: { [K in Place]?: infer V } }
  ? NonNullable<V>
  : never

/** Parameters in the query. */
export type QueryOf<Paths, M extends Method, P extends keyof Paths> = ParametersOf<
  OperationOf<Paths, M, P>,
  'query'
>

/** Parameters in the path. */
export type ParamsOf<Paths, M extends Method, P extends keyof Paths> = ParametersOf<
  OperationOf<Paths, M, P>,
  'path'
>

type AnswerOf<O> = O extends { responses: { 200: { content: infer C } } } ? C : never

/** The result of a call: the data of the envelope, text, or the Blob of a file. */
export type DataOf<Paths, M extends Method, P extends keyof Paths> =
  AnswerOf<OperationOf<Paths, M, P>> extends {
    'application/json': infer E
  }
    ? E extends { data: infer D }
      ? D
      : E
    : AnswerOf<OperationOf<Paths, M, P>> extends { 'application/octet-stream': unknown }
      ? Blob
      : string

export interface ClientOptions {
  /** Address of the gateway; '' in a page served by it. */
  url: string
  /** A session's token. */
  token?: string
  adminToken?: string
  /** For `Authorization: Bearer`. */
  bearer?: string
  headers?: Readonly<Record<string, string>>
  /** Number of retries after a failure; 3 by default. */
  retries?: number
  /** Milliseconds per attempt; 100,000 by default, since a send waits for the network. */
  timeoutMs?: number
  fetch?: typeof fetch
}

export interface CallOptions {
  /** Parameters in the path, by name. */
  params?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  /** Key of a send, in place of one that the client creates; store it to repeat the call in another process. */
  idempotencyKey?: string
  /** Whether the call is repeated after a failure; by default true for GET, PUT and sends. */
  retry?: boolean
  signal?: AbortSignal
}

export interface StreamOptions {
  /** Seq of the last handled event; 0 for all stored events, absent for only new ones. */
  after?: number
  /** Event classes; all when absent. */
  classes?: readonly string[]
  /** Fields of the filter of `GET /events/stream`, for example `{ types: 'Message' }`; lists are separated by commas. */
  filter?: Readonly<Record<string, string>>
  /** Milliseconds without a heartbeat after which the stream is reopened. */
  idleMs?: number
  signal?: AbortSignal
}

type EventTypes = {
  [T in keyof webhooks]: webhooks[T] extends { post: { requestBody?: infer B } }
    ? Json<NonNullable<B>>
    : never
}

/** An event of the log with its position. `type` discriminates the union. */
export type GatewayEvent = EventTypes[keyof EventTypes] & { seq: number }

export type GatewayPaths = paths
