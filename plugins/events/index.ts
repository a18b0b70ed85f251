import { asFunction, definePlugin, T } from 'wamux/plugin'
import { createReader } from './reader.ts'
import { routes } from './routes.ts'

/** The event log for clients that fetch instead of being called. */
export default definePlugin({
  name: 'events',
  version: '0.1.0',
  api: '^1.0.0',
  config: T.Object({
    heartbeatSeconds: T.Number({
      default: 15,
      exclusiveMinimum: 0,
      description: 'Silence after which a stream shows that it is alive',
    }),
  }),
  services: () => ({ reader: asFunction(createReader).singleton() }),
  routes,
})
