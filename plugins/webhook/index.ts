import { asFunction, definePlugin } from 'wamux/plugin'
import { createArchive } from './archive.ts'
import { ConfigSchema } from './config.ts'
import { createDeliveries } from './deliveries.ts'
import { createDispatcher } from './dispatcher.ts'
import { createEndpoints } from './endpoints.ts'
import { createEntry } from './entry.ts'
import { events, translate } from './events.ts'
import { createHooks } from './hooks.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { deliveryRoutes } from './routes-deliveries.ts'
import { createVerdicts } from './verdict.ts'

/** Delivers events to the addresses of each session: durable, in order per chat, again until they are taken. */
export default definePlugin({
  name: 'webhook',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  needs: ['http'],
  wants: ['attachments'],
  migrations,
  services: () => ({
    endpoints: asFunction(createEndpoints).singleton(),
    deliveries: asFunction(createDeliveries).singleton(),
    archive: asFunction(createArchive).singleton(),
    entry: asFunction(createEntry).singleton(),
    verdicts: asFunction(createVerdicts).singleton(),
    dispatcher: asFunction(createDispatcher).singleton(),
    hooks: asFunction(createHooks).singleton(),
  }),
  routes: (r) => [...routes(r), ...deliveryRoutes(r)],
  events,
  translate,
  consume: {
    batch: 500,
    async handle(batch, { entry, dispatcher }) {
      const { deliveries, isNew } = await entry.enter(batch)
      dispatcher.take(deliveries, isNew)
    },
  },
  async setup({ endpoints, dispatcher }) {
    await endpoints.load()
    dispatcher.start()
  },
  close: ({ dispatcher }) => dispatcher.stop(),
})
