import { type Static, T } from 'wamux/plugin'

export const webVersionSettings = {
  webVersion: T.String({
    default: 'auto',
    pattern: '^(auto|\\d{1,3}\\.\\d{1,5}\\.\\d{1,10})$',
    maxLength: 20,
    description: 'Version of WhatsApp Web, `2.3000.N`; `auto` looks up the current one',
  }),
  outdatedSpreadMs: T.Integer({
    default: 60_000,
    minimum: 0,
    maximum: 3_600_000,
    description:
      'Milliseconds over which sessions log in again, at random, after WhatsApp has refused the version; at most one a second',
  }),
  webVersionCheckMs: T.Integer({
    default: 60_000,
    minimum: 20,
    description:
      'Milliseconds between checks for due look-ups of the version and retries of refused sessions',
  }),
}

const Settings = T.Object(webVersionSettings)
export type WebVersionConfig = Static<typeof Settings>
