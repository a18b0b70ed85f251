import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  TIMER_INVALID: [400, 'invalid timer. Use: 24h, 7d, 90d, or off'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
