import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  PRESENCE_INVALID: [400, "Invalid presence type. Allowed values: 'available', 'unavailable'"],
  AVATAR_UNKNOWN: [404, 'No avatar found'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
