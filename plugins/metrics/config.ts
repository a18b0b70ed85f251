import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  access: T.Enum(['admin', 'token', 'open'], {
    default: 'admin',
    description: 'Who may read /metrics: the admin, a caller with `metrics.token`, or everybody',
  }),
  token: T.Optional(
    T.String({
      minLength: 16,
      description: 'For access `token`: what the header `Authorization: Bearer …` must hold',
    }),
  ),
})

export type MetricsConfig = Static<typeof ConfigSchema>
