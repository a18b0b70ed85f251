export { type Client, createClient } from './client.ts'
export { WamuxError } from './error.ts'
export type {
  BodyOf,
  CallOptions,
  ClientOptions,
  DataOf,
  ErrorCode,
  GatewayEvent,
  Method,
  ParamsOf,
  PathOf,
  QueryOf,
  StreamOptions,
} from './types.ts'
