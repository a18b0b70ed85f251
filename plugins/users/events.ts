import { type EventDeclaration, T } from 'wamux/plugin'
import type { PrivacySettings } from './privacy.ts'
import { Privacy } from './schemas.ts'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Picture: { event: Record<string, unknown> }
    NotifyAccountReachoutTimelock: { event: Record<string, unknown> }
    PrivacySettings: { event: PrivacySettings }
    UsernameChange: { event: UsernameChange }
  }
}

const Words = T.String()

export interface UsernameChange {
  readonly Action: 'set' | 'removed' | 'changed'
  readonly Username: string
  readonly Timestamp: string
}

export const events = {
  Picture: {
    class: 'All',
    summary: 'The picture of a person or group was set or removed',
    schema: T.Object({
      JID: T.String({ description: 'The person or group; can be used as Phone' }),
      JIDAlt: T.String({ description: 'Its other form, phone or LID; empty when unknown' }),
      Author: T.String({ description: 'The person who changed the picture' }),
      AuthorAlt: Words,
      Timestamp: T.String({ format: 'date-time' }),
      Remove: T.Boolean(),
      PictureID: T.String({ description: 'Empty if it was removed' }),
    }),
  },
  NotifyAccountReachoutTimelock: {
    class: 'All',
    summary: 'A restriction of the account on starting new chats began or ended',
    schema: T.Object({
      IsActive: T.Boolean(),
      TimeEnforcementEnds: T.Union([T.String({ format: 'date-time' }), T.Null()]),
      EnforcementType: Words,
    }),
  },
  PrivacySettings: {
    class: 'All',
    summary:
      'Privacy settings of the account were changed on its phone or another device; all settings, once for several changes',
    schema: Privacy,
  },
  UsernameChange: {
    class: 'All',
    summary:
      'The username of the account was set or removed on its phone or another device, or its PIN changed',
    schema: T.Object({
      Action: T.Union([T.Literal('set'), T.Literal('removed'), T.Literal('changed')], {
        description: 'changed: WhatsApp does not say what; GET /user/username reads it',
      }),
      Username: T.String({ description: 'Without @; empty unless it was set' }),
      Timestamp: T.String({ format: 'date-time' }),
    }),
  },
} satisfies Record<string, EventDeclaration>
