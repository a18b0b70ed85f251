import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  access: T.Enum(['admin', 'token', 'open'], {
    default: 'admin',
    description: 'Access to /metrics: the admin, a caller with `metrics.token`, or everybody',
  }),
  token: T.Optional(
    T.String({
      minLength: 16,
      description: 'For access `token`: the value required in the header `Authorization: Bearer …`',
    }),
  ),
})

export type MetricsConfig = Static<typeof ConfigSchema>
