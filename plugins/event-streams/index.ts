import { asFunction, definePlugin, type ExplainedErrorRow } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createReader } from './reader.ts'
import { routes } from './routes.ts'
import { historyRoutes } from './routes-history.ts'
import { streamRoutes } from './routes-stream.ts'

import { timelineRoutes } from './routes-timeline.ts'
import { createTimeline } from './timeline.ts'

const errors = {
  EVENTS_DROPPED: [
    410,
    'Events up to %s are no longer kept; the oldest available one is %s',
    {
      meaning: 'The requested events are no longer kept.',
      cause: 'The reader was away for longer than events are kept.',
      remedy: 'Continue from the oldest available event; raise `WAMUX_RETENTION_DAYS` to keep more.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
}

/** The event log for clients that poll or stream instead of receiving webhooks. */
export default definePlugin({
  name: 'event-streams',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  wants: ['attachments', 'ownership', 'messageTimes', 'messageStates', 'deliveryTimes'],
  errors,
  services: () => ({
    reader: asFunction(createReader).singleton(),
    timeline: asFunction(createTimeline).singleton(),
  }),
  routes: (r) => [...routes(r), ...historyRoutes(r), ...streamRoutes(r), ...timelineRoutes(r)],
})
