import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  PROXY_FAILED: [502, 'The proxy %s opened no connection: %s'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
