import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  ACTION_INVALID: [400, 'invalid Action in Payload'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
