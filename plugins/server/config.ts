import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  minFreeBytes: T.Integer({
    default: 67_108_864,
    minimum: 0,
    description: 'Bytes that must be free in the data folder for the gateway to be ready',
  }),
})

export type ServerConfig = Static<typeof ConfigSchema>
