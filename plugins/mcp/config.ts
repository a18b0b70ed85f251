import { type Static, T } from 'wamux/plugin'
import { WHEN } from './sends.ts'
import { SCOPES } from './tools.ts'

export const ConfigSchema = T.Object({
  scopes: T.Array(T.Enum([...SCOPES]), {
    default: ['read'],
    description:
      'What tools may do: read, send (messages) or manage (the session, chats, groups). The rights of the key that a client connects with apply as well',
  }),
  confirmSends: T.Enum([...WHEN], {
    default: 'newChats',
    description:
      'Which sends a person confirms: always, newChats (to chats that the account has not written to, and posts to many) or never',
  }),
  tools: T.Array(T.String(), {
    default: [],
    description:
      'Names of the tools that are offered, such as sendText; all that the scopes allow when empty',
  }),
})

export type McpConfig = Static<typeof ConfigSchema>
