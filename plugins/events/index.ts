import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createConnections } from './connections.ts'
import { errors } from './errors.ts'
import { createReader } from './reader.ts'
import { routes } from './routes.ts'
import { historyRoutes } from './routes-history.ts'
import { streamRoutes } from './routes-stream.ts'

import { timelineRoutes } from './routes-timeline.ts'
import { createTimeline } from './timeline.ts'

/** The event log for clients that poll or stream instead of receiving webhooks. */
export default definePlugin({
  name: 'events',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  wants: ['attachments', 'ownership', 'messageTimes', 'messageStates', 'deliveryTimes'],
  errors,
  services: () => ({
    reader: asFunction(createReader).singleton(),
    connections: asFunction(createConnections).singleton(),
    timeline: asFunction(createTimeline).singleton(),
  }),
  routes: (r) => [...routes(r), ...historyRoutes(r), ...streamRoutes(r), ...timelineRoutes(r)],
})
