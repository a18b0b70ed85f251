import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  url: T.String({
    default: 'redis://127.0.0.1:6379',
    description:
      'Address of the server, such as redis://user:password@redis.example:6379/1; rediss:// for TLS',
  }),
  tlsCa: T.String({ default: '', description: 'Certificates to trust, PEM; those of the system when empty' }),
  tlsCert: T.String({ default: '', description: 'Certificate of this client, PEM' }),
  tlsKey: T.String({ default: '', description: 'Its private key, PEM' }),
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
  types: T.Array(T.String(), {
    default: [],
    description: 'Event types or classes to publish; all when empty',
  }),
  sessions: T.Array(T.String(), {
    default: [],
    description: 'Names or ids of the sessions to publish; all when empty',
  }),
  window: T.Integer({
    default: 64,
    minimum: 1,
    maximum: 1_000,
    description:
      'Messages that may wait for their confirmation; 1 keeps the order of a session also after an error',
  }),
  timeoutMs: T.Integer({
    default: 5_000,
    minimum: 100,
    description: 'Milliseconds within which the server must confirm a message',
  }),
})

export type RedisConfig = Static<typeof ConfigSchema>
