import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  OUTPUT_REFUSED: [502, 'The broker does not accept event %s: %s'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
