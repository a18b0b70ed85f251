import { type Static, T } from 'wamux/plugin'
import { SCOPES } from './tools.ts'

export const ConfigSchema = T.Object({
  scopes: T.Array(T.Enum([...SCOPES]), {
    default: ['read'],
    description:
      'What tools may do: read, send (messages) or manage (the session, chats, groups). The rights of the key that a client connects with apply as well',
  }),
  tools: T.Array(T.String(), {
    default: [],
    description:
      'Names of the tools that are offered, such as sendText; all that the scopes allow when empty',
  }),
})

export type McpConfig = Static<typeof ConfigSchema>
