import type { OutputConfig } from 'wamux/outputs'
import { T } from 'wamux/plugin'

export const config = {
  url: T.String({
    default: 'redis://127.0.0.1:6379',
    description:
      'Address of the server, such as redis://user:password@redis.example:6379/1; rediss:// for TLS',
  }),
  stream: T.String({
    default: 'wamux:events',
    minLength: 1,
    description:
      'Key of the stream of each event: {session} is its name, {id} its id, {type} and {class} the event’s',
  }),
  maxLength: T.Integer({
    default: 100_000,
    minimum: 0,
    description: 'Entries that a stream keeps, about; older ones are dropped, read or not. 0 keeps all',
  }),
}

export type RedisConfig = OutputConfig<typeof config>
