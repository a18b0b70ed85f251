import type { OutputConfig } from 'wamux/outputs'
import { T } from 'wamux/plugin'

export const config = {
  url: T.String({
    default: 'amqp://guest:guest@127.0.0.1:5672',
    description: 'Address of the server and virtual host; with amqps:// the connection is encrypted',
  }),
  exchange: T.String({
    default: 'wamux',
    minLength: 1,
    description: 'Topic exchange, created as durable if missing',
  }),
  routingKey: T.String({
    default: '{session}.{type}',
    maxLength: 200,
    description:
      'Routing key of each event: {session} is the name of the session, {id} its id, {type} and {class} are the type and class of the event',
  }),
  queue: T.String({
    default: 'wamux',
    description: 'Durable queue that receives every event, created if missing; empty for none',
  }),
  mandatory: T.Boolean({
    default: true,
    description:
      'Retry until a queue receives the event; when false, the server drops events without a bound queue',
  }),
}

export type RabbitConfig = OutputConfig<typeof config>
