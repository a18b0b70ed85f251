import type { ExplainedErrorRow } from 'wamux/plugin'

export const errors = {
  KEY_SESSION_MISSING: [
    400,
    'This key is for several sessions: name one in the header X-Session, by id or name',
    {
      meaning: 'The key is for several sessions, and the request names none.',
      cause: 'The header `X-Session` is missing.',
      remedy: 'Send the id or name of the session in `X-Session`.',
    },
  ],
  KEY_SESSION_FORBIDDEN: [
    403,
    'This key is not for the session in X-Session',
    {
      meaning: 'The key does not include the session.',
      cause: '`X-Session` names a session outside the list or label of the key, or none that exists.',
      remedy: 'Name a session of the key, or use another key.',
    },
  ],
  KEY_CHAT_FORBIDDEN: [
    403,
    'This key may not address %s, which %s names',
    {
      meaning: 'The key does not include the chat.',
      cause: 'A field names a person or group outside the list of the key.',
      remedy: 'Use a key that lists the chat.',
    },
  ],
  KEY_CHAT_UNKNOWN: [
    403,
    'This key is limited to certain chats, and the chat that %s names can not be determined',
    {
      meaning: 'The gateway can not tell which chat the request addresses.',
      cause:
        'The key is limited to certain chats, and a field seems to name one in a form that can not be checked.',
      remedy: 'Name the chat by its number or JID, or use a key without a list of chats.',
    },
  ],
  KEY_CHAT_LEAVES: [
    403,
    'This key is limited to certain chats, and the effect of the call is not: %s',
    {
      meaning: 'The call lets something out of the account elsewhere than in the chats of the key.',
      cause:
        'It changes the public profile, a contact, the catalogue or a group that is not on the list, or requests an address that is not a file for one of these chats.',
      remedy: "Use a key without a list of chats, or the session's token.",
    },
  ],
  KEY_CHAT_MISSING: [
    403,
    'This key is limited to certain chats, and the request names none',
    {
      meaning: 'The request names no chat, but the key is limited to certain chats.',
      cause: 'Lists, profile, settings and webhooks concern the whole session.',
      remedy: "Use a key without a list of chats, or the session's token.",
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
