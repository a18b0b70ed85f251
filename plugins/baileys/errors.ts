import type { ExplainedErrorRow } from 'wamux/plugin'

export const errors = {
  PASSKEY_UNEXPECTED: [
    409,
    'No passkey %s is expected now: the state is "%s"',
    {
      meaning: 'No step of a passkey is expected now.',
      cause: 'The request for the passkey has ended, or the steps were called in another order.',
      remedy: 'Look at `GET /session/passkey`, and start linking again if it has ended.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
