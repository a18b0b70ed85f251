import type { ExplainedErrorRow } from 'wamux/plugin'

export const errors = {
  SCHEDULE_UNKNOWN: [
    404,
    'No message with this Id is scheduled',
    {
      meaning: 'No scheduled message has this id.',
      cause: 'It was sent, cancelled or failed longer ago than such messages are listed, or the id is wrong.',
      remedy: 'List the scheduled messages with `GET /schedule`.',
    },
  ],
  SCHEDULE_ENDED: [
    409,
    'This message can no longer be cancelled: it is %s',
    {
      meaning: 'The scheduled message can no longer be cancelled.',
      cause: 'It was already sent or cancelled, or has failed.',
      remedy: 'A sent message can be revoked with `POST /message/delete`.',
    },
  ],
  SCHEDULE_FULL: [
    429,
    'Too many messages of this session are scheduled: %s',
    {
      meaning: 'The session has too many scheduled messages.',
      cause: 'A limit of number or total size is reached.',
      remedy:
        'Cancel some, schedule closer to the time, or raise `WAMUX_SCHEDULE_MAX_WAITING` or `WAMUX_SCHEDULE_MAX_MEGABYTES`.',
    },
  ],
  SCHEDULE_LATE: [
    504,
    'The session was not online within %s hours after the scheduled time',
    {
      meaning: 'A scheduled message was not sent, because its time has long passed.',
      cause: 'The session was offline for longer than a message waits.',
      remedy: 'Schedule it again once the session is online; `WAMUX_SCHEDULE_LATE_HOURS` sets the time.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
