import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  contacts: T.Integer({
    default: 100,
    minimum: 0,
    maximum: 1000,
    description:
      'Maximum number of presence subscriptions when the account goes online; 0: each only with the next message',
  }),
})

export type PresenceConfig = Static<typeof ConfigSchema>
