import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  perSecond: T.Number({
    default: 1,
    minimum: 0.01,
    description: 'Sustained number of messages per second of one session',
  }),
  burst: T.Integer({
    default: 5,
    minimum: 1,
    description: 'Messages that may be sent at once after a pause',
  }),
  chatPauseMs: T.Integer({
    default: 1000,
    minimum: 0,
    description: 'Minimum milliseconds between two messages to one chat',
  }),
  jitterMs: T.Integer({
    default: 1200,
    minimum: 0,
    description: 'Maximum random milliseconds added to each pause',
  }),
  holdMs: T.Integer({
    default: 3_600_000,
    minimum: 0,
    description:
      'Milliseconds without new chats after a refusal (463, 475) for which WhatsApp gives no end time',
  }),
})

export type PacingConfig = Static<typeof ConfigSchema>
