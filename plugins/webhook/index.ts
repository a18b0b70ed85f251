import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createDeliveries } from './deliveries.ts'
import { createDispatcher } from './dispatcher.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { createSecrets } from './secrets.ts'

/** Delivers events to the URL of each session: durable, in order per chat, again until it is taken. */
export default definePlugin({
  name: 'webhook',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  needs: ['http'],
  migrations,
  services: () => ({
    deliveries: asFunction(createDeliveries).singleton(),
    secrets: asFunction(createSecrets).singleton(),
    dispatcher: asFunction(createDispatcher).singleton(),
  }),
  routes,
  consume: {
    batch: 500,
    async handle(events, { deliveries, dispatcher }) {
      if (await deliveries.enter(events)) dispatcher.wake()
    },
  },
  setup: async ({ dispatcher }) => dispatcher.wake(),
  close: ({ dispatcher }) => dispatcher.stop(),
})
