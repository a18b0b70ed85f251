import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  url: T.String({
    default: 'amqp://guest:guest@127.0.0.1:5672',
    description: 'Address of the server and its virtual host; with amqps:// the connection is encrypted',
  }),
  tlsCa: T.String({ default: '', description: 'Certificates to trust, PEM; those of the system when empty' }),
  tlsCert: T.String({ default: '', description: 'Certificate of this client, PEM' }),
  tlsKey: T.String({ default: '', description: 'Its private key, PEM' }),
  exchange: T.String({
    default: 'wamux',
    minLength: 1,
    description: 'Topic exchange, which is made durable if it is missing',
  }),
  routingKey: T.String({
    default: '{session}.{type}',
    maxLength: 200,
    description:
      'Routing key of each event: {session} is its name, {id} its id, {type} and {class} the event’s',
  }),
  queue: T.String({
    default: 'wamux',
    description: 'Durable queue that is made if it is missing and gets every event; empty to make none',
  }),
  mandatory: T.Boolean({
    default: true,
    description:
      'Try again until a queue gets the event; otherwise the server drops what no queue is bound for',
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

export type RabbitConfig = Static<typeof ConfigSchema>
