import { type Static, T } from 'wamux/plugin'

export const webVersionSettings = {
  webVersion: T.String({
    default: 'auto',
    pattern: '^(auto|\\d{1,3}\\.\\d{1,5}\\.\\d{1,10})$',
    maxLength: 20,
    description:
      'Version of WhatsApp Web that links are opened with, `2.3000.N`, used as it is; `auto` looks the current one up',
  }),
  outdatedSpreadMs: T.Integer({
    default: 60_000,
    minimum: 0,
    maximum: 3_600_000,
    description:
      'Milliseconds within which sessions log in again, at random, after WhatsApp has refused the version; more sessions than seconds take longer',
  }),
  webVersionCheckMs: T.Integer({
    default: 60_000,
    minimum: 20,
    description:
      'Milliseconds between checks whether the version is due to be looked up, or a session that was refused with it due to be tried',
  }),
}

const Settings = T.Object(webVersionSettings)
export type WebVersionConfig = Static<typeof Settings>
