import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  NOT_READY: [503, 'Not ready: %s'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
