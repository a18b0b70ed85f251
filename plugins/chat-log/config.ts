import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  searchMessages: T.Integer({
    default: 2_000,
    minimum: 100,
    maximum: 50_000,
    description: 'Most messages that one search reads and decrypts; the answer tells where to continue',
  }),
})

export type ChatLogConfig = Static<typeof ConfigSchema>
