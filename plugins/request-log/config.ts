import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  keep: T.Union([T.Literal('failures'), T.Literal('changes'), T.Literal('all')], {
    default: 'failures',
    description: 'Requests to keep: refused and failed ones, also all that are not GET, or all',
  }),
  bodies: T.Boolean({
    default: false,
    description: 'Keeps the parsed body with a request, sealed under the key of the session',
  }),
  days: T.Integer({ default: 30, minimum: 1, maximum: 365, description: 'Days to keep a request' }),
  rows: T.Integer({
    default: 5_000,
    minimum: 100,
    maximum: 1_000_000,
    description: 'Maximum number of requests kept per session; the oldest go first',
  }),
})

export type RequestLogConfig = Static<typeof ConfigSchema>
