import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  PASSKEY_UNEXPECTED: [409, 'No passkey %s is expected now: the state is "%s"'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
