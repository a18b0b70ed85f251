import type { Metric } from 'wamux/plugin'
import type { Pace } from './pace.ts'
import type { Restrictions } from './restrictions.ts'

interface Deps {
  pace: Pace
  restrictions: Restrictions
}

export const metrics = ({ pace, restrictions }: Deps) =>
  ({
    wamux_pacing_waits_total: {
      type: 'counter',
      help: 'Sends that waited for their turn',
      collect: () => pace.tally.waits,
    },
    wamux_pacing_wait_seconds_total: {
      type: 'counter',
      help: 'Seconds that sends waited for their turn',
      collect: () => pace.tally.waitedMs / 1000,
    },
    wamux_pacing_held_total: {
      type: 'counter',
      help: 'Sends to new chats that were refused while the network restricts the account',
      collect: () => pace.tally.held,
    },
    wamux_pacing_restricted_sessions: {
      type: 'gauge',
      help: 'Sessions known to be restricted: a timelock, or the limit of new chats is reached',
      collect: () => restrictions.count(),
    },
  }) satisfies Record<string, Metric>
