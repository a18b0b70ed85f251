import { type EventDeclaration, T } from 'wamux/plugin'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Picture: { event: Record<string, unknown> }
    NotifyAccountReachoutTimelock: { event: Record<string, unknown> }
  }
}

const Words = T.String()

export const events = {
  Picture: {
    class: 'All',
    summary: "Somebody's or a group's picture was set or removed",
    schema: T.Object({
      JID: T.String({ description: 'Whose picture; can be used as Phone' }),
      JIDAlt: T.String({ description: 'Its other form, phone or LID; empty when unknown' }),
      Author: T.String({ description: 'Who changed it' }),
      AuthorAlt: Words,
      Timestamp: T.String({ format: 'date-time' }),
      Remove: T.Boolean(),
      PictureID: T.String({ description: 'Empty when it was removed' }),
    }),
  },
  NotifyAccountReachoutTimelock: {
    class: 'All',
    summary: 'The account was locked from writing to new people, or is so no more',
    schema: T.Object({
      IsActive: T.Boolean(),
      TimeEnforcementEnds: T.Union([T.String({ format: 'date-time' }), T.Null()]),
      EnforcementType: Words,
    }),
  },
} satisfies Record<string, EventDeclaration>
