import { type Static, T } from 'wamux/plugin'

const HOUR = 3600

export const ConfigSchema = T.Object({
  timeoutMs: T.Integer({
    default: 15_000,
    minimum: 100,
    description: 'Milliseconds within which a receiver must answer',
  }),
  /** About 76 hours in total. */
  retrySeconds: T.Array(T.Number({ minimum: 0 }), {
    default: [5, 30, 120, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
    description:
      'Seconds before each retry, with 20 % jitter; after the last retry the delivery is dead-lettered',
  }),
  parallel: T.Integer({ default: 32, minimum: 1, description: 'Concurrent requests to one endpoint' }),
  format: T.Enum(['wamux', 'form'], {
    default: 'wamux',
    description: 'Format of webhooks without their own: wamux (JSON), or form (jsonData and token)',
  }),
  includeToken: T.Boolean({
    default: false,
    description: 'Include the session token in JSON bodies',
  }),
  laneBlockSeconds: T.Number({
    default: 300,
    minimum: 0,
    description:
      'Seconds for which a failing event blocks its chat while its host accepts others; 0: until it is delivered or dead',
  }),
  breakerFailures: T.Integer({
    default: 10,
    minimum: 1,
    description: 'Consecutive failures (no answer, 429 or 5xx) that open the circuit breaker of a host',
  }),
  breakerSeconds: T.Number({
    default: 30,
    exclusiveMinimum: 0,
    description:
      'Seconds for which the breaker first stays open; doubled up to ten minutes by each failed probe',
  }),
  globalUrl: T.String({
    default: '',
    description: 'Address of a webhook for the events of all sessions; POST /webhook/global adds more',
  }),
  globalSubscribe: T.Array(T.String(), {
    default: [],
    description: 'Event classes of that webhook; all when empty',
  }),
  globalSecret: T.String({
    default: '',
    pattern: '^(whsec_[A-Za-z0-9+/]{32,}=*)?$',
    description: 'Secret that signs its deliveries: whsec_ and base64 of 24 bytes or more; unsigned if empty',
  }),
  globalIncludeToken: T.Boolean({
    default: false,
    description: 'Include the session token in its bodies',
  }),
  lateSeconds: T.Number({
    default: 900,
    exclusiveMinimum: 0,
    description: 'Seconds after which a webhook whose oldest event still waits is an issue (GET /issues)',
  }),
  disableDays: T.Number({
    default: 5,
    exclusiveMinimum: 0,
    description: 'Days without a single success after which a failing webhook is disabled',
  }),
})

export type WebhookConfig = Static<typeof ConfigSchema>
