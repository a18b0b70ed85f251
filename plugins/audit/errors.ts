import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  TOO_MANY_FAILURES: [429, 'Too many wrong tokens from this address; try again in %s s'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
