import type { OutputConfig } from 'wamux/outputs'
import { T } from 'wamux/plugin'

export const config = {
  url: T.String({
    default: 'nats://127.0.0.1:4222',
    description: 'Servers, separated by commas; with tls:// the connection is encrypted',
  }),
  username: T.String({ default: '', description: 'User name, if the server requires one' }),
  password: T.String({ default: '', description: 'Its password' }),
  token: T.String({ default: '', description: 'Token, if the server requires one instead of a user' }),
  subject: T.String({
    default: 'wamux.{session}.{type}',
    minLength: 1,
    description:
      'Subject of each event: {session} is the name of the session, {id} its id, {type} and {class} are the type and class of the event',
  }),
  stream: T.String({
    default: 'WAMUX',
    description: 'Stream created at the start if missing; empty for none',
  }),
  streamHours: T.Number({
    default: 168,
    minimum: 0,
    description: 'Hours for which a stream created by wamux keeps messages; 0 for ever',
  }),
}

export type NatsConfig = OutputConfig<typeof config>
