import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  KEY_SESSION_MISSING: [
    400,
    'This key is for several sessions: name one in the header X-Session, by id or name',
  ],
  KEY_SESSION_FORBIDDEN: [403, 'This key is not for the session in X-Session'],
  KEY_CHAT_FORBIDDEN: [403, 'This key may not address %s, which %s names'],
  KEY_CHAT_UNKNOWN: [
    403,
    'This key is limited to certain chats, and the chat that %s names can not be determined',
  ],
  KEY_CHAT_MISSING: [403, 'This key is limited to certain chats, and the request names none'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
