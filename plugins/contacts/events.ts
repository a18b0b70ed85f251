import { type EventDeclaration, T } from 'wamux/plugin'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Contact: { event: Record<string, unknown> }
    PushName: { event: Record<string, unknown> }
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
