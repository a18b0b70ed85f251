import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createArchive } from './delivery/archive.ts'
import { createAttemptLog } from './delivery/attempt-log.ts'
import { type Backlogs, createBacklogs } from './delivery/backlogs.ts'
import { createCompletions } from './delivery/completions.ts'
import { createDeliveries } from './delivery/deliveries.ts'
import { createDeliveryTimes, type DeliveryTimes } from './delivery/delivery-times.ts'
import { createFailures } from './delivery/failures.ts'
import { createHealth } from './delivery/health.ts'
import { issuesOf } from './delivery/issues.ts'
import { createMatches } from './delivery/matches.ts'
import { createMissing } from './delivery/missing.ts'
import { createPreviews } from './delivery/previews.ts'
import { createRefusals } from './delivery/refusals.ts'
import { createResults } from './delivery/results.ts'
import { createTallies } from './delivery/tallies.ts'
import { createTestDeliveries } from './delivery/test-deliveries.ts'
import { createAttempts } from './dispatch/attempts.ts'
import { createDispatcher } from './dispatch/dispatcher.ts'
import { createFanOut } from './dispatch/fan-out.ts'
import { createHostBreakers } from './dispatch/host-breakers.ts'
import { createEndpoints } from './endpoints/endpoints.ts'
import { events, translate } from './events.ts'
import { createFormats } from './formats/formats.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { attemptRoutes } from './routes-attempts.ts'
import { deliveryRoutes } from './routes-deliveries.ts'
import { failureRoutes } from './routes-failures.ts'
import { globalRoutes } from './routes-global.ts'
import { previewRoutes } from './routes-preview.ts'
import { sessionRoutes } from './routes-sessions.ts'
import { createWebhookService } from './webhook-service.ts'
import { createWebhooks } from './webhooks.ts'

export type {
  Edits,
  EndpointProgress,
  EventSample,
  FormatBody,
  FormatContext,
  FormatRequest,
  OwnEndpoint,
  OwnEndpointView,
  SampleScene,
  SignedPost,
  Signing,
  WebhookFormat,
  Webhooks,
} from './contract.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    deliveryTimes: DeliveryTimes
    backlogs: Backlogs
  }
}

/** Delivers events to the webhooks of each session: durable, in order per chat, retried until the receiver accepts them. */
export default definePlugin({
  name: 'webhook',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  needs: ['httpClient'],
  wants: ['attachments', 'ownership'],
  provides: ['deliveryTimes', 'backlogs', 'webhooks'],
  collects: ['eventSamples', 'webhookFormats'],
  contributes: { sessionBacklogs: ({ backlogs }) => backlogs, issues: issuesOf, metrics },
  migrations,
  services: () => ({
    formats: asFunction(createFormats).singleton(),
    endpoints: asFunction(createEndpoints)
      .singleton()
      .disposer((service) => service.stop()),
    completions: asFunction(createCompletions)
      .singleton()
      .disposer((service) => service.close()),
    deliveries: asFunction(createDeliveries).singleton(),
    attemptLog: asFunction(createAttemptLog).singleton(),
    backlogs: asFunction(createBacklogs).singleton(),
    archive: asFunction(createArchive).singleton(),
    failures: asFunction(createFailures).singleton(),
    health: asFunction(createHealth).singleton(),
    matches: asFunction(createMatches).singleton(),
    missing: asFunction(createMissing).singleton(),
    deliveryTimes: asFunction(createDeliveryTimes).singleton(),
    fanOut: asFunction(createFanOut).singleton(),
    tallies: asFunction(createTallies).singleton(),
    refusals: asFunction(createRefusals).singleton(),
    results: asFunction(createResults).singleton(),
    hostBreakers: asFunction(createHostBreakers).singleton(),
    attempts: asFunction(createAttempts).singleton(),
    previews: asFunction(createPreviews).singleton(),
    testDeliveries: asFunction(createTestDeliveries).singleton(),
    dispatcher: asFunction(createDispatcher)
      .singleton()
      .disposer((service) => service.stop()),
    webhookService: asFunction(createWebhookService).singleton(),
    webhooks: asFunction(createWebhooks).singleton(),
  }),
  routes: (r) => [
    ...routes(r),
    ...deliveryRoutes(r),
    ...attemptRoutes(r),
    ...failureRoutes(r),
    ...previewRoutes(r),
    ...globalRoutes(r),
    ...sessionRoutes(r),
  ],
  events,
  translate,
  consume: {
    batch: 500,
    async handle(batch, { fanOut, dispatcher }) {
      const { known, fresh } = await fanOut.store(batch)
      dispatcher.enqueue(known, false)
      dispatcher.enqueue(fresh, true)
    },
  },
  async setup({ config, events, httpClient, endpoints, fanOut }) {
    if (config.globalUrl) httpClient.check('globalUrl', config.globalUrl)
    endpoints.start()
    fanOut.start()
    await endpoints.load()
    await endpoints.configure(events.assertClasses(config.globalSubscribe))
  },
  // Pending deliveries may have a format of another plugin.
  async ready({ dispatcher }) {
    dispatcher.start()
  },
})
