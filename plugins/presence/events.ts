import { type EventDeclaration, T } from 'wamux/plugin'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Presence: { event: Record<string, unknown>; state: 'online' | 'offline' }
    ChatPresence: { event: Record<string, unknown> }
  }
}

const Words = T.String()

export const events = {
  Presence: {
    class: 'Presence',
    summary: 'Somebody came on line, or left',
    schema: T.Object({
      From: T.String({ description: 'Can be used as Phone in an answer' }),
      FromAlt: T.String({ description: 'The other form, phone or LID; empty when unknown' }),
      Unavailable: T.Boolean(),
      LastSeen: T.String({ description: 'RFC 3339; empty while on line, and where it is hidden' }),
    }),
  },
  ChatPresence: {
    class: 'ChatPresence',
    summary: 'Somebody types, records, or stopped',
    schema: T.Object({
      Chat: T.String({ description: 'Can be used as Phone in an answer' }),
      Sender: Words,
      SenderAlt: T.String({ description: 'The other form, phone or LID; empty when unknown' }),
      IsFromMe: T.Boolean(),
      IsGroup: T.Boolean(),
      State: T.String({ description: 'composing or paused' }),
      Media: T.String({ description: 'audio while recording' }),
    }),
  },
} satisfies Record<string, EventDeclaration>
