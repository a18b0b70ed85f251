import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  searchMessages: T.Integer({
    default: 2_000,
    minimum: 100,
    maximum: 50_000,
    description: 'Messages that one search reads and decrypts at most; it answers where to go on',
  }),
})

export type ChatLogConfig = Static<typeof ConfigSchema>
