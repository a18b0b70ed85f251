import { asFunction, definePlugin, T } from 'wamux/plugin'
import { createReader } from './reader.ts'
import { routes } from './routes.ts'

/** The event log for clients that poll or stream instead of receiving webhooks. */
export default definePlugin({
  name: 'events',
  version: '0.1.0',
  api: '^1.0.0',
  config: T.Object({
    heartbeatSeconds: T.Number({
      default: 15,
      exclusiveMinimum: 0,
      description: 'Seconds without events after which a stream sends a heartbeat',
    }),
  }),
  wants: ['ownership'],
  services: () => ({ reader: asFunction(createReader).singleton() }),
  routes,
})
