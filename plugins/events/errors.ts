import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  CONNECTIONS_FULL: [429, 'At most %s WebSockets may be open at once'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
