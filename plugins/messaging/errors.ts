import type { ErrorRow } from 'wamux/plugin'

/** Errors about messages, chats and people, shared by all plugins. 4xx means that nothing was sent. */
export const errors = {
  PHONE_INVALID: [400, 'Could not parse Phone: %s'],
  GROUP_INVALID: [400, 'Could not parse Group JID: %s'],
  BASE64_INVALID: [400, 'Could not decode base64 encoded data from payload: %s'],
  MEDIA_UNREACHABLE: [400, 'Could not fetch %s: %s'],
  LINK_INVALID: [403, 'This link is invalid or has expired'],
  NETWORK_FORBIDDEN: [403, 'WhatsApp refused: %s'],
  TOKEN_MISSING: [
    403,
    'WhatsApp refused: to %s this account is a stranger, and it has no privacy token for a first contact (463)',
  ],
  ACCOUNT_RESTRICTED: [403, 'WhatsApp refused: this account may not start new chats %s (%s)'],
  CHAT_FORBIDDEN: [403, 'These credentials may not address %s'],
  SEND_VETOED: [403, 'The plugin "%s" refused to send this message: %s'],
  NETWORK_UNKNOWN: [404, 'Failed to %s: %s'],
  MESSAGE_UNKNOWN: [404, 'Message not found'],
  USERNAME_UNKNOWN: [404, 'Invalid %s: %s is not a username on WhatsApp, or it requires a PIN'],
  NOT_ON_NETWORK: [404, '%s is not on WhatsApp'],
  SETTINGS_NOT_READY: [409, 'The phone has not shared its settings yet; try again in a moment'],
  FILE_EXPIRED: [410, 'The file has expired: neither the media host nor the phone still has it'],
  MESSAGE_TOO_LARGE: [413, '%s is too large: the message has %s bytes, but the limit for %s devices is %s'],
  MEDIA_UNSUPPORTED: [415, 'Unsupported media in %s: %s'],
  ID_REUSED: [422, 'Id %s was already used for another message'],
  SEND_UNCONFIRMED: [428, 'A person must confirm this send to %s first'],
  NETWORK_LIMITED: [429, 'Rate limited by WhatsApp'],
  QUEUE_FULL: [429, 'Too many messages of this session are waiting (%s); try again later'],
  SEND_FAILED: [502, 'Error sending message: %s'],
  SEND_ABANDONED: [
    502,
    'Error sending message: WhatsApp closed the connection on it three times, and on nothing else; it was given up',
  ],
  NETWORK_UNAVAILABLE: [
    502,
    'Error sending message: WhatsApp is not available now (code %s); nothing was sent, try again later',
  ],
  UPLOAD_FAILED: [502, 'Failed to upload file: %s'],
  NETWORK_SILENT: [504, 'WhatsApp did not answer in time'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
