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
    summary: 'A person came online or went offline',
    schema: T.Object({
      From: T.String({ description: 'Can be used as Phone in a reply' }),
      FromAlt: T.String({ description: 'The other form, phone or LID; empty when unknown' }),
      Unavailable: T.Boolean(),
      LastSeen: T.String({ description: 'RFC 3339; empty while online, and if it is hidden' }),
    }),
    beside: { state: T.Enum(['online', 'offline'] as const) },
  },
  ChatPresence: {
    class: 'ChatPresence',
    summary: 'A person started or stopped typing or recording',
    schema: T.Object({
      Chat: T.String({ description: 'Can be used as Phone in a reply' }),
      Sender: Words,
      SenderAlt: T.String({ description: 'The other form, phone or LID; empty when unknown' }),
      IsFromMe: T.Boolean(),
      IsGroup: T.Boolean(),
      State: T.String({ description: 'composing or paused' }),
      Media: T.String({ description: 'audio during a recording' }),
    }),
  },
} satisfies Record<string, EventDeclaration>
