import { T } from 'wamux/plugin'

export type { Static } from 'wamux/plugin'

export const Subscribe = T.Optional(
  T.Array(T.String(), {
    description: 'Event classes to deliver; empty means All',
    examples: [['Message', 'ReadReceipt']],
    aliases: ['Events'],
  }),
)

export const Done = T.Object({ Details: T.String() })

export const Row = T.Object({
  Id: T.String(),
  Name: T.String(),
  Token: T.String(),
  Os: T.String(),
  webhook: T.String(),
  subscribe: T.Array(T.String()),
  JID: T.String({ description: 'Empty until a phone has linked the session' }),
})

export const RowWithState = T.Object({ ...Row.properties, Connected: T.Boolean(), LoggedIn: T.Boolean() })
