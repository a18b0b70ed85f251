import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  perSecond: T.Number({
    default: 1,
    minimum: 0.01,
    description: 'Messages a second that a session sends in the long run',
  }),
  burst: T.Integer({
    default: 5,
    minimum: 1,
    description: 'Messages that may go at once after a time of rest',
  }),
  chatPauseMs: T.Integer({
    default: 1000,
    minimum: 0,
    description: 'Milliseconds between two messages to one chat, at least',
  }),
  jitterMs: T.Integer({
    default: 1200,
    minimum: 0,
    description: 'Random milliseconds on top of each pause, at most',
  }),
  holdMs: T.Integer({
    default: 3_600_000,
    minimum: 0,
    description: 'Milliseconds without new contacts after a refusal (463) for which WhatsApp names no end',
  }),
})

export type Config = Static<typeof ConfigSchema>
