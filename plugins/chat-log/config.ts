import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  searchMessages: T.Integer({
    default: 2_000,
    minimum: 100,
    maximum: 50_000,
    description: 'Maximum number of messages that one search reads',
  }),
})

export type ChatLogConfig = Static<typeof ConfigSchema>
