import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  loginHours: T.Number({
    default: 12,
    minimum: 0.01,
    maximum: 720,
    description: 'Hours after which a login of the dashboard ends',
  }),
})

export type DashboardConfig = Static<typeof ConfigSchema>
