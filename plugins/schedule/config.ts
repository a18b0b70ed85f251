import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  maxWaiting: T.Integer({
    default: 1_000,
    minimum: 1,
    description: 'Messages of one session that may wait for their time',
  }),
  maxMegabytes: T.Integer({
    default: 500,
    minimum: 1,
    description: 'Their size together, files included',
  }),
  maxDays: T.Integer({ default: 366, minimum: 1, description: 'How far ahead a message may be scheduled' }),
  lateHours: T.Number({
    default: 24,
    exclusiveMinimum: 0,
    description: 'Hours that a message waits for its session to be online, before it fails',
  }),
  keepDays: T.Number({
    default: 7,
    exclusiveMinimum: 0,
    description: 'Days for which messages that were sent, cancelled or have failed are listed',
  }),
})

export type ScheduleConfig = Static<typeof ConfigSchema>
