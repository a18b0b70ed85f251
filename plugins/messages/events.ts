import { type EventDeclaration, T } from 'wamux/plugin'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Message: { event: Record<string, unknown> }
    ReadReceipt: { event: Record<string, unknown>; state: 'Delivered' | 'Read' | 'ReadSelf' | 'Played' }
    UndecryptableMessage: { event: Record<string, unknown> }
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
  Edit: T.String({ description: '1 edited, 7 or 8 revoked; else empty' }),
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
  UndecryptableMessage: {
    class: 'All',
    summary: 'A message could not be decrypted; the sender was asked for it again',
    schema: T.Object({ Chat: Words, Sender: Words, ID: Words, Reason: Words, Timestamp: Words }),
  },
} satisfies Record<string, EventDeclaration>
