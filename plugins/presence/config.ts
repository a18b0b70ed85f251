import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  contacts: T.Integer({
    default: 100,
    minimum: 0,
    maximum: 1000,
    description:
      'People asked for at once when the account shows itself on line: who wrote on this link, then saved contacts; 0: only with their next message',
  }),
})

export type PresenceConfig = Static<typeof ConfigSchema>
