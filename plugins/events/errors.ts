import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  EVENTS_DROPPED: [410, 'Events up to %s are no longer kept; the oldest that is kept is %s'],
  CONNECTIONS_FULL: [429, 'At most %s WebSockets may be open at once'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
