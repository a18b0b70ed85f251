import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createExposition } from './exposition.ts'
import { createLoopDelay } from './loop-delay.ts'
import { metrics } from './own.ts'
import { routes } from './routes.ts'

/** The metrics of all plugins, for Prometheus. */
export default definePlugin({
  name: 'metrics',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  wants: ['health'],
  services: () => ({
    exposition: asFunction(createExposition).singleton(),
    loopDelay: asFunction(createLoopDelay)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes,
  contributes: { metrics },
  collects: ['metrics'],
  setup: async ({ loopDelay }) => loopDelay.start(),
})
