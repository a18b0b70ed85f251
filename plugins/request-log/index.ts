import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { migrations } from './migrations.ts'
import { createPruning, createRequests } from './requests.ts'
import { routes } from './routes.ts'

/** The requests to each session, and how they were answered. */
export default definePlugin({
  name: 'request-log',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  // It must have started: until then `sessions.served()` has all sessions.
  wants: ['ownership'],
  migrations,
  services: () => ({
    requests: asFunction(createRequests).singleton(),
    pruning: asFunction(createPruning)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes,
  contributes: {
    around:
      ({ requests }) =>
      (call, next) =>
        requests.run(call, next),
  },
  setup: async ({ pruning }) => pruning.start(),
})
