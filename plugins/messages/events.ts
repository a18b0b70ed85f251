import { type EventDeclaration, T } from 'wamux/plugin'
import { NormalMessage, NormalReceipt } from './normal-message.ts'

export interface StarChange {
  ChatJID: string
  ChatJIDAlt: string
  SenderJID: string
  IsFromMe: boolean
  MessageID: string
  Timestamp: string
  Action: { starred: boolean }
  FromFullSync: false
}

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Message: {
      event: Record<string, unknown>
      message: NormalMessage
      annotations?: Record<string, Record<string, unknown>>
    }
    ReadReceipt: {
      event: Record<string, unknown>
      receipt: NormalReceipt
      state: 'Delivered' | 'Read' | 'ReadSelf' | 'Played'
    }
    SendFailed: { event: Record<string, unknown>; annotations?: Record<string, Record<string, unknown>> }
    UndecryptableMessage: { event: Record<string, unknown>; message: NormalMessage }
    HistorySync: { event: Record<string, unknown>; messages?: NormalMessage[] }
    Star: { event: StarChange }
  }
}

const Words = T.String()

const Info = T.Object({
  Chat: T.String({ description: 'Can be used as Phone in a reply' }),
  Sender: Words,
  SenderAlt: T.String({ description: "The sender's other form, phone or LID; empty when unknown" }),
  RecipientAlt: Words,
  IsFromMe: T.Boolean(),
  IsGroup: T.Boolean(),
  AddressingMode: Words,
  ID: T.String({ description: 'Message id' }),
  Type: T.String({ description: 'text, media, poll or reaction' }),
  MediaType: Words,
  PushName: Words,
  Timestamp: T.String({ format: 'date-time' }),
  Category: Words,
  Edit: T.String({
    description:
      '1 edited, 2 pinned, 3 edited post (with the ID of the post), 7 revoked, 8 revoked by an admin; otherwise empty. The sender has been checked to be allowed to, except for an undecryptable message',
  }),
  Multicast: T.Boolean(),
  ServerID: T.Integer(),
  BroadcastListOwner: Words,
  VerifiedName: T.Null(),
  DeviceSentMeta: T.Null(),
  SenderUsername: T.Optional(
    T.String({ description: 'Without @; absent if the network did not name one with the message' }),
  ),
  RecipientUsername: T.Optional(
    T.String({ description: 'For an own message, without @; absent if the network did not name one' }),
  ),
})

const flags = {
  IsEphemeral: T.Boolean(),
  IsViewOnce: T.Boolean(),
  IsViewOnceV2: T.Boolean(),
  IsDocumentWithCaption: T.Boolean(),
  IsEdit: T.Boolean(),
}

const sticker = {
  isSticker: T.Optional(T.Boolean({ description: 'Present for stickers' })),
  stickerAnimated: T.Optional(T.Boolean({ description: 'Present for stickers' })),
}

/** Additions by plugin hooks, by plugin. */
const annotations = T.Optional(
  T.Record(T.String(), T.Record(T.String(), T.Unknown()), {
    description: 'Additions of plugins to this message, by plugin; absent if none',
  }),
)

/** The file of a message, added when the event is delivered to a webhook. */
const file = {
  base64: T.Optional(T.String({ description: 'The file; only in deliveries to webhooks' })),
  mediaUrl: T.Optional(
    T.String({
      description:
        'Instead of `base64`, in streams and for a file above WAMUX_MESSAGES_INLINE_BYTES: a signed link, which needs no token and expires; it begins with WAMUX_MESSAGES_PUBLIC_URL',
    }),
  ),
  mediaError: T.Optional(T.String({ description: 'Instead of both: why the file is not available' })),
  mimeType: T.Optional(T.String({ description: 'MIME type of the file' })),
  fileName: T.Optional(T.String({ description: 'Message id and extension' })),
}

export const events = {
  Message: {
    class: 'Message',
    summary: 'A message was received or sent by this account',
    schema: T.Object({
      Info,
      Message: T.Object(
        {},
        {
          additionalProperties: true,
          description:
            'The content; bytes are base64, 64-bit numbers are text. Content sealed under the secret of another message, for example an edit, is decrypted and accompanied by `secretEncryptedMessage`',
        },
      ),
      ...flags,
      PollVote: T.Optional(
        T.Object(
          { PollID: Words, Question: Words, SelectedOptions: T.Array(Words) },
          { description: 'For a vote: the chosen options; empty when the vote was withdrawn' },
        ),
      ),
      EventResponse: T.Optional(
        T.Object(
          {
            EventID: Words,
            Response: T.String({ description: 'going, notGoing or maybe' }),
            Guests: T.Integer(),
          },
          { description: 'For an answer to an event' },
        ),
      ),
      Corrects: T.Optional(
        T.Literal('SendFailed', {
          description: 'This event was raised for the ID before, but the message was sent after all',
        }),
      ),
    }),
    beside: { message: NormalMessage, annotations, ...sticker, ...file },
  },
  ReadReceipt: {
    class: 'ReadReceipt',
    summary: 'Messages were delivered, read or played',
    schema: T.Object({
      Chat: Words,
      Sender: Words,
      SenderAlt: Words,
      IsFromMe: T.Boolean(),
      IsGroup: T.Boolean(),
      MessageIDs: T.Array(Words),
      Timestamp: Words,
      Type: T.String({ description: 'Empty for delivered; read, read-self, played or played-self' }),
      MessageSender: Words,
    }),
    beside: {
      receipt: NormalReceipt,
      state: T.Enum(['Delivered', 'Read', 'ReadSelf', 'Played', 'PlayedSelf'] as const, {
        description: 'ReadSelf, PlayedSelf: read or played by this account on another device',
      }),
    },
  },
  SendFailed: {
    class: 'Message',
    summary: 'A message of this session was refused or given up, or its outcome is unknown',
    schema: T.Object({
      Id: T.String({ description: 'Message id, as returned by the send' }),
      Chat: Words,
      Code: T.String({
        description:
          'Error code; NETWORK_SILENT: it may have been sent; SEND_FAILED: refused (see Error); SEND_ABANDONED: WhatsApp closed the connection on it three times; TOKEN_MISSING and ACCOUNT_RESTRICTED: the two meanings of 463',
      }),
      Outcome: T.Enum(['failed', 'unknown'] as const, {
        description:
          'failed: it was not sent; unknown: WhatsApp may have it. If it turns out to have been sent, a `Message` with the same ID and `Corrects` follows',
      }),
      Error: T.String({ description: 'In words' }),
      Timestamp: Words,
      Until: T.Optional(
        T.String({
          format: 'date-time',
          description:
            'For ACCOUNT_RESTRICTED: when WhatsApp lets the account start new chats again, where it says so',
        }),
      ),
    }),
    beside: { annotations },
  },
  Star: {
    class: 'All',
    summary: 'A message was starred or its star was removed, by any device of the account',
    schema: T.Object({
      ChatJID: T.String({ description: 'The chat; can be used as Phone' }),
      ChatJIDAlt: T.String({ description: 'The phone JID of a LID; empty when unknown' }),
      SenderJID: T.String({ description: "Author of another member's message in a group; otherwise empty" }),
      IsFromMe: T.Boolean({ description: 'Whether the message is your own' }),
      MessageID: Words,
      Timestamp: T.String({ format: 'date-time' }),
      Action: T.Object({ starred: T.Boolean() }),
      FromFullSync: T.Boolean(),
    }),
  },
  UndecryptableMessage: {
    class: 'All',
    summary: 'A message could not be decrypted; if it is delivered again, a Message with the same ID follows',
    schema: T.Object({
      Info,
      IsUnavailable: T.Boolean({ description: 'The network had no content for this device' }),
      UnavailableType: T.String({ description: 'For example view_once' }),
      DecryptFailMode: T.String({ description: '`hide` where apps should not show it' }),
      Reason: T.String({
        description: 'In words; begins with SECRET_UNKNOWN for an edit whose message is not known here',
      }),
      TargetID: T.Optional(T.String({ description: 'For an edit: id of the changed message' })),
    }),
    beside: { message: NormalMessage },
  },
  HistorySync: {
    class: 'HistorySync',
    summary:
      'A chunk of the history, from before linking or requested by /chat/history: at most 50 chats and messages, or 512 KB',
    schema: T.Object({
      Data: T.Object({
        syncType: T.Integer({ description: '0 first, 2 full, 3 recent, 4 names, 6 on demand' }),
        progress: T.Integer(),
        chunkOrder: T.Integer({ description: 'Number of the history part, as the phone divided it' }),
        requestID: T.Optional(
          T.String({ description: 'RequestId of /chat/history, if this is its answer; otherwise absent' }),
        ),
        piece: T.Integer({ description: 'Number of the chunk within that part, from 0' }),
        pieces: T.Integer(),
        conversations: T.Array(T.Object({ ID: Words }, { additionalProperties: true })),
        pushnames: T.Array(T.Object({ ID: Words, pushname: Words })),
        phoneNumberToLidMappings: T.Array(T.Object({ lidJID: Words, pnJID: Words })),
      }),
    }),
    beside: {
      messages: T.Optional(
        T.Array(NormalMessage, {
          description:
            'The messages in plain fields; only of a group whose newest messages a member has shared',
        }),
      ),
    },
  },
} satisfies Record<string, EventDeclaration>
