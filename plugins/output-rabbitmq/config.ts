import type { OutputConfig } from 'wamux/outputs'
import { T } from 'wamux/plugin'

export const config = {
  url: T.String({
    default: 'amqp://guest:guest@127.0.0.1:5672',
    description: 'Address of the server and its virtual host; with amqps:// the connection is encrypted',
  }),
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
}

export type RabbitConfig = OutputConfig<typeof config>
