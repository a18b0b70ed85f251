import type { OutputConfig } from 'wamux/outputs'
import { T } from 'wamux/plugin'

export const config = {
  url: T.String({
    default: 'nats://127.0.0.1:4222',
    description: 'Servers, separated by commas; with tls:// the connection is encrypted',
  }),
  username: T.String({ default: '', description: 'User name, where the server wants one' }),
  password: T.String({ default: '', description: 'Its password' }),
  token: T.String({ default: '', description: 'Token, where the server wants one in place of a user' }),
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
}

export type NatsConfig = OutputConfig<typeof config>
