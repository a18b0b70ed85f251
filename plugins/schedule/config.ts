import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  maxWaiting: T.Integer({
    default: 1_000,
    minimum: 1,
    description: 'Maximum number of scheduled messages of one session',
  }),
  maxMegabytes: T.Integer({
    default: 500,
    minimum: 1,
    description: 'Their total size, including files',
  }),
  maxDays: T.Integer({
    default: 366,
    minimum: 1,
    description: 'Maximum days ahead for which a message may be scheduled',
  }),
  lateHours: T.Number({
    default: 24,
    exclusiveMinimum: 0,
    description: 'Hours that a message waits for its session to be online, before it fails',
  }),
  keepDays: T.Number({
    default: 7,
    exclusiveMinimum: 0,
    description: 'Days for which sent, cancelled and failed messages are listed',
  }),
})

export type ScheduleConfig = Static<typeof ConfigSchema>
