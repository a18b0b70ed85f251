import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  url: T.String({
    default: 'nats://127.0.0.1:4222',
    description: 'Servers, separated by commas; with tls:// the connection is encrypted',
  }),
  username: T.String({ default: '', description: 'User name, where the server wants one' }),
  password: T.String({ default: '', description: 'Its password' }),
  token: T.String({ default: '', description: 'Token, where the server wants one in place of a user' }),
  tlsCa: T.String({ default: '', description: 'Certificates to trust, PEM; those of the system when empty' }),
  tlsCert: T.String({ default: '', description: 'Certificate of this client, PEM' }),
  tlsKey: T.String({ default: '', description: 'Its private key, PEM' }),
  subject: T.String({
    default: 'wamux.{session}.{type}',
    minLength: 1,
    description: 'Subject of each event: {session} is its name, {id} its id, {type} and {class} the event’s',
  }),
  stream: T.String({
    default: 'WAMUX',
    description: 'Stream that is made at the start if it is missing; empty to make none',
  }),
  streamHours: T.Number({
    default: 168,
    minimum: 0,
    description: 'Hours that a stream made here keeps messages; 0 for ever',
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

export type NatsConfig = Static<typeof ConfigSchema>
