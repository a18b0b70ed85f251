import { type Static, T } from 'wamux/plugin'

const HOUR = 3600

export const ConfigSchema = T.Object({
  timeoutMs: T.Integer({
    default: 15_000,
    minimum: 100,
    description: 'Milliseconds that a receiver has for its answer',
  }),
  /** About 76 hours in all. */
  retrySeconds: T.Array(T.Number({ minimum: 0 }), {
    default: [5, 30, 120, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
    description:
      'Seconds before each further attempt, give or take a fifth; after the last the delivery is dead',
  }),
  parallel: T.Integer({ default: 32, minimum: 1, description: 'Requests to one receiver at once' }),
})

export type WebhookConfig = Static<typeof ConfigSchema>
