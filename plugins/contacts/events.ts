import { type EventDeclaration, T } from 'wamux/plugin'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Contact: { event: Record<string, unknown> }
    PushName: { event: Record<string, unknown> }
    NumberOwner: { event: { JID: string; LID: string; FormerLID: string; Timestamp: string } }
  }
}

const Words = T.String()
const who = {
  JID: T.String({ description: 'The person; can be used as Phone' }),
  JIDAlt: T.String({ description: 'Its LID; empty when unknown' }),
}

export const events = {
  Contact: {
    class: 'All',
    summary: 'A contact was saved or removed, by any device of the account',
    schema: T.Object({
      ...who,
      Timestamp: T.String({ format: 'date-time' }),
      Action: T.Object({}, { additionalProperties: true }),
      Removed: T.Boolean(),
      FromFullSync: T.Boolean(),
    }),
  },
  NumberOwner: {
    class: 'All',
    summary: 'A phone number has another LID than known before: most likely it has a new owner',
    schema: T.Object({
      JID: T.String({ description: 'The number' }),
      LID: T.String({ description: 'Its owner' }),
      FormerLID: T.String({ description: 'The LID that had it before; its chat goes on without a number' }),
      Timestamp: T.String({ format: 'date-time' }),
    }),
  },
  PushName: {
    class: 'All',
    summary: 'A person changed their push name',
    schema: T.Object({
      ...who,
      Message: T.Object({ ID: Words, Chat: Words, Sender: Words, Timestamp: Words }),
      OldPushName: Words,
      NewPushName: Words,
    }),
  },
} satisfies Record<string, EventDeclaration>
