import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  SCHEDULE_UNKNOWN: [404, 'No message with this Id is scheduled'],
  SCHEDULE_ENDED: [409, 'This message can no longer be cancelled: it is %s'],
  SCHEDULE_FULL: [429, 'Too many messages of this session are scheduled: %s'],
  SCHEDULE_LATE: [504, 'The session was not online within %s hours after the scheduled time'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
