import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  NEW_CHATS_HELD: [429, 'This account may not start new chats until %s; nothing was sent'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
