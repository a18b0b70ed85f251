import { type EventDeclaration, T } from 'wamux/plugin'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Message: { event: Record<string, unknown> }
    ReadReceipt: { event: Record<string, unknown>; state: 'Delivered' | 'Read' | 'ReadSelf' | 'Played' }
    SendFailed: { event: Record<string, unknown> }
    UndecryptableMessage: { event: Record<string, unknown> }
    HistorySync: { event: Record<string, unknown> }
  }
}

const Words = T.String()

const Info = T.Object({
  Chat: T.String({ description: 'Can be used as Phone in an answer' }),
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
    description: '1 edited, 3 an edited post (with the ID of the post), 7 or 8 revoked; else empty',
  }),
  Multicast: T.Boolean(),
  ServerID: T.Integer(),
  BroadcastListOwner: Words,
  VerifiedName: T.Null(),
  DeviceSentMeta: T.Null(),
})

const flags = {
  IsEphemeral: T.Boolean(),
  IsViewOnce: T.Boolean(),
  IsViewOnceV2: T.Boolean(),
  IsDocumentWithCaption: T.Boolean(),
  IsEdit: T.Boolean(),
}

export const events = {
  Message: {
    class: 'Message',
    summary: 'A message came in, or an own one went out',
    schema: T.Object({
      Info,
      Message: T.Object(
        {},
        { additionalProperties: true, description: 'The content; bytes are base64, 64-bit numbers are text' },
      ),
      ...flags,
      PollVote: T.Optional(
        T.Object(
          { PollID: Words, Question: Words, SelectedOptions: T.Array(Words) },
          { description: 'Of a vote: what was chosen; nothing is a vote taken back' },
        ),
      ),
    }),
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
      Type: Words,
      MessageSender: Words,
    }),
  },
  SendFailed: {
    class: 'Message',
    summary: 'A message of this session was refused, or nobody knows whether it went out',
    schema: T.Object({
      Id: T.String({ description: 'Message id, as the send answered it' }),
      Chat: Words,
      Code: T.String({
        description:
          'Name of the error; NETWORK_SILENT: it may have gone out; SEND_FAILED: refused, or given up because WhatsApp closed the connection on it twice (Error says which)',
      }),
      Error: T.String({ description: 'In words' }),
      Timestamp: Words,
    }),
  },
  UndecryptableMessage: {
    class: 'All',
    summary: 'A message could not be read; if it comes again, a Message with the same ID follows',
    schema: T.Object({
      Info,
      IsUnavailable: T.Boolean({ description: 'The network had no content for this device' }),
      UnavailableType: T.String({ description: 'Such as view_once' }),
      DecryptFailMode: T.String({ description: '`hide` where nothing should be shown of it' }),
      Reason: Words,
    }),
  },
  HistorySync: {
    class: 'HistorySync',
    summary: 'A piece of what the phone had before the link: at most 50 chats and messages, or 512 KB',
    schema: T.Object({
      Data: T.Object({
        syncType: T.Integer({ description: '0 first, 2 full, 3 recent, 4 names, 6 on demand' }),
        progress: T.Integer(),
        chunkOrder: T.Integer({ description: 'Part of the history, as the phone cut it' }),
        piece: T.Integer({ description: 'Piece of that part, from 0' }),
        pieces: T.Integer(),
        conversations: T.Array(T.Object({ ID: Words }, { additionalProperties: true })),
        pushnames: T.Array(T.Object({ ID: Words, pushname: Words })),
        phoneNumberToLidMappings: T.Array(T.Object({ lidJID: Words, pnJID: Words })),
      }),
    }),
  },
} satisfies Record<string, EventDeclaration>
