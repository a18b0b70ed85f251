import { type Static, T } from 'wamux/plugin'
import { WHEN } from './sends.ts'
import { SCOPES } from './tools.ts'

export const ConfigSchema = T.Object({
  scopes: T.Array(T.Enum([...SCOPES]), {
    default: ['read'],
    description:
      'Scopes of the offered tools: read, send (messages) or manage (the session, chats, groups). The rights of the client’s key also apply',
  }),
  confirmSends: T.Enum([...WHEN], {
    default: 'newChats',
    description:
      'What a person confirms besides what cannot be undone: always (everything that leaves the account), newChats (the same, except sends to known chats) or never',
  }),
  tools: T.Array(T.String(), {
    default: [],
    description: 'Names of the offered tools, for example sendText; when empty, all that the scopes allow',
  }),
})

export type McpConfig = Static<typeof ConfigSchema>
