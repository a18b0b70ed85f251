import type { OutputConfig } from 'wamux/outputs'
import { T } from 'wamux/plugin'

export const config = {
  url: T.String({
    default: 'redis://127.0.0.1:6379',
    description:
      'Address of the server, for example redis://user:password@redis.example:6379/1; rediss:// for TLS',
  }),
  stream: T.String({
    default: 'wamux:events',
    minLength: 1,
    description:
      'Key of the stream of each event: {session} is the name of the session, {id} its id, {type} and {class} are the type and class of the event',
  }),
  maxLength: T.Integer({
    default: 100_000,
    minimum: 0,
    description:
      'Approximate number of entries that a stream keeps; older ones are dropped, read or not. 0 keeps all',
  }),
}

export type RedisConfig = OutputConfig<typeof config>
