import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  CHAT_UNKNOWN: [404, 'No message of this chat is in the log'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
