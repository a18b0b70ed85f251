import type { ExplainedErrorRow } from 'wamux/plugin'

/** Errors about messages, chats and people, shared by all plugins. 4xx means that nothing was sent. */
export const errors = {
  PHONE_INVALID: [
    400,
    'Could not parse Phone: %s',
    {
      meaning: 'The recipient is not a valid number or address.',
      cause: 'The number has no country code, contains letters, or has an impossible length.',
      remedy:
        'Send the number with its country code and digits only, for example `5511999999999`, or a full JID.',
    },
  ],
  GROUP_INVALID: [
    400,
    'Could not parse Group JID: %s',
    {
      meaning: 'The address is not that of a group.',
      cause: 'A number or a truncated id was given; ids of groups end in `@g.us`.',
      remedy: 'Take the `JID` of the group from `GET /group/list`.',
    },
  ],
  BASE64_INVALID: [
    400,
    'Could not decode base64 encoded data from payload: %s',
    {
      meaning: 'A file in the body can not be decoded.',
      cause: 'The data URL is cut off, has a wrong prefix, or is not base64.',
      remedy: 'Send `data:<media type>;base64,<data>`, or the address of the file.',
    },
  ],
  MEDIA_UNREACHABLE: [
    400,
    'Could not fetch %s: %s',
    {
      meaning: 'The gateway could not fetch a file from the given address.',
      cause:
        'The host does not answer, answers with an error, is on a private address that is not allowed, or the file is too large.',
      remedy:
        'Make the file reachable from the gateway; allow private hosts with `WAMUX_ALLOW_PRIVATE_HOSTS`.',
    },
  ],
  LINK_INVALID: [
    403,
    'This link is invalid or has expired',
    {
      meaning: 'The signed link of a file is not valid.',
      cause: 'The link has expired or was changed, or the key that signed it was replaced.',
      remedy: 'Get a new link from the event or from the log.',
    },
  ],
  NETWORK_FORBIDDEN: [
    403,
    'WhatsApp refused: %s',
    {
      meaning: 'WhatsApp does not allow the account to do this.',
      cause:
        'The account is not an admin of the group, was blocked, is not a business account, or lacks another right that the text names.',
      remedy: "Check the account's rights on the phone.",
    },
  ],
  TOKEN_MISSING: [
    403,
    'WhatsApp refused: to %s this account is a stranger, and it has no privacy token for a first contact (463)',
    {
      meaning: 'WhatsApp refused a first message to a person who does not know the account (463).',
      cause: 'The account has no privacy token of this person, which WhatsApp requires for a first contact.',
      remedy: 'Wait until the person has written first. Other chats are not affected.',
    },
  ],
  ACCOUNT_RESTRICTED: [
    403,
    'WhatsApp refused: this account may not start new chats %s (%s)',
    {
      meaning: 'WhatsApp does not let the account start new chats.',
      cause: 'WhatsApp restricted the account, usually after messages to many strangers.',
      remedy:
        'Stop writing to new people until then: attempts may prolong the restriction. Existing chats still work.',
    },
  ],
  CHAT_FORBIDDEN: [
    403,
    'These credentials may not address %s',
    {
      meaning: 'The credentials do not allow this recipient.',
      cause: 'The key is limited to certain chats.',
      remedy: "Use a key that lists this chat, or the session's token.",
    },
  ],
  SEND_VETOED: [
    403,
    'The plugin "%s" refused to send this message: %s',
    {
      meaning: 'A plugin refused the message before it was sent.',
      cause: 'A rule of the plugin that the text names applies.',
      remedy: 'Change the message or the settings of the plugin.',
    },
  ],
  NETWORK_UNKNOWN: [
    404,
    'Failed to %s: %s',
    {
      meaning: 'WhatsApp does not know what the request names.',
      cause: 'The group, person, message or other item was deleted or never existed.',
      remedy: 'Check the id in the request.',
    },
  ],
  MESSAGE_UNKNOWN: [
    404,
    'Message not found',
    {
      meaning: 'The gateway does not have this message.',
      cause:
        'The id is wrong, belongs to another chat or session, or the message is older than the log keeps.',
      remedy: 'Check `Id` and chat; `WAMUX_RETENTION_DAYS` sets how long events are kept.',
    },
  ],
  USERNAME_UNKNOWN: [
    404,
    'Invalid %s: %s is not a username on WhatsApp, or it requires a PIN',
    {
      meaning: 'The username does not lead to an account.',
      cause: 'No account has this username, or its owner requires a PIN, which is missing or wrong.',
      remedy: 'Ask the person for the correct username, for its PIN (`@name:1234`), or for the phone number.',
    },
  ],
  NOT_ON_NETWORK: [
    404,
    '%s is not on WhatsApp',
    {
      meaning: 'No WhatsApp account has this number.',
      cause: 'The number is wrong, lacks its country code, or its owner does not use WhatsApp.',
      remedy: 'Check numbers with `POST /user/check` before sending.',
    },
  ],
  SETTINGS_NOT_READY: [
    409,
    'The phone has not shared its settings yet; try again in a moment',
    {
      meaning: 'The phone has not shared the settings of the account with the gateway yet.',
      cause:
        'The session was linked moments ago, or the phone is offline; or the network has damaged settings, which the phone was asked to restore.',
      remedy:
        'Open WhatsApp on the phone and try again in a moment. If the log says that the phone does not restore the settings, link the session again.',
    },
  ],
  FILE_EXPIRED: [
    410,
    'The file has expired: neither the media host nor the phone still has it',
    {
      meaning: 'The file of a received message is gone.',
      cause: 'WhatsApp deletes files from its servers after some weeks, and the phone no longer has it.',
      remedy: 'Download files when they arrive; the plugin media-store does so automatically.',
    },
  ],
  MESSAGE_TOO_LARGE: [
    413,
    '%s is too large: the message has %s bytes, but the limit for %s devices is %s',
    {
      meaning: 'The message does not fit into one frame of the network.',
      cause: 'Its text, buttons or thumbnails are too large for the number of devices in the chat.',
      remedy: 'Shorten the field, or split the message.',
    },
  ],
  MEDIA_UNSUPPORTED: [
    415,
    'Unsupported media in %s: %s',
    {
      meaning: 'The file has a type that this kind of message can not have.',
      cause: 'The content is not what the name or media type says, or WhatsApp does not show such files.',
      remedy: 'Convert the file, or send it as a document.',
    },
  ],
  ID_REUSED: [
    422,
    'Id %s was already used for another message',
    {
      meaning: 'The `Id` or `Idempotency-Key` belongs to another message.',
      cause: 'The same id was used with other content; an id is never sent twice.',
      remedy: 'Choose a new id for a new message; keep the id only for repeating the same one.',
    },
  ],
  NETWORK_LIMITED: [
    429,
    'Rate limited by WhatsApp',
    {
      meaning: 'WhatsApp limits the rate of this account.',
      cause: 'Too many requests of the same kind in a short time.',
      remedy:
        'Wait some minutes before the next attempt, then send more slowly; the plugin pacing inserts pauses.',
    },
  ],
  QUEUE_FULL: [
    429,
    'Too many messages of this session are waiting (%s); try again later',
    {
      meaning: 'Too many messages of the session are waiting.',
      cause: 'Messages are accepted faster than the account can send, or the session is offline.',
      remedy: 'Wait until the queue is shorter; check the state of the session with `GET /session/status`.',
    },
  ],
  SEND_FAILED: [
    502,
    'Error sending message: %s',
    {
      meaning: 'WhatsApp refused the message with an error.',
      cause: 'The text after the colon has the answer of WhatsApp.',
      remedy: 'Correct the message if the answer names a reason; otherwise try again later with a new `Id`.',
    },
  ],
  SEND_ABANDONED: [
    502,
    'Error sending message: WhatsApp closed the connection on it three times, and on nothing else; it was given up',
    {
      meaning: 'The message was given up.',
      cause: 'WhatsApp closed the connection three times as this message was sent, and on nothing else.',
      remedy: 'Change the content; other messages are not affected.',
    },
  ],
  NETWORK_UNAVAILABLE: [
    502,
    'Error sending message: WhatsApp is not available now (code %s); nothing was sent, try again later',
    {
      meaning: 'WhatsApp is temporarily not available.',
      cause: 'Its servers answered with a temporary error; nothing was sent.',
      remedy: 'Repeat the send with the same `Id` later.',
    },
  ],
  UPLOAD_FAILED: [
    502,
    'Failed to upload file: %s',
    {
      meaning: 'The file could not be uploaded to WhatsApp.',
      cause: 'The media servers of WhatsApp do not answer or refuse the file, or a proxy blocks them.',
      remedy: 'Try again; check that the gateway can reach the hosts of WhatsApp.',
    },
  ],
  NETWORK_SILENT: [
    504,
    'WhatsApp did not answer in time',
    {
      meaning: 'WhatsApp did not answer in time; the outcome is unknown.',
      cause: 'The connection was lost or is slow after the request had left.',
      remedy: 'Repeat a send with the same `Id`, which never sends twice; a late answer arrives as an event.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
