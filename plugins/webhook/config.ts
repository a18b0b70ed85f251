import { type Static, T } from 'wamux/plugin'

const HOUR = 3600

export const Format = T.Union([T.Literal('json'), T.Literal('form')])

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
  format: {
    ...Format,
    default: 'json' as const,
    description: 'Body where a webhook names none: json, or form (jsonData and token)',
  },
  includeToken: T.Boolean({
    default: false,
    description: 'Put the token of the session into JSON bodies',
  }),
  laneBlockSeconds: T.Number({
    default: 300,
    minimum: 0,
    description:
      'How long a failing event holds its chat back while the host takes others; 0: until it is taken or dead',
  }),
  breakerFailures: T.Integer({
    default: 10,
    minimum: 1,
    description: 'Failures in a row (no answer, 429 or 5xx) after which a host is left alone for a while',
  }),
  breakerSeconds: T.Number({
    default: 30,
    exclusiveMinimum: 0,
    description: 'The first such while; it doubles up to ten minutes with each failed probe',
  }),
  disableDays: T.Number({
    default: 5,
    exclusiveMinimum: 0,
    description: 'Days of nothing but failures after which a webhook is switched off',
  }),
})

export type WebhookConfig = Static<typeof ConfigSchema>
