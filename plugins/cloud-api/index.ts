import { asFunction, createInterval, definePlugin, type Interval, type Kernel } from 'wamux/plugin'
import { type CloudConfig, ConfigSchema, SessionSchema } from './config.ts'
import { errors } from './errors.ts'
import { speakGraph } from './graph/dialect.ts'
import { createFiles } from './messages/files.ts'
import { PATH } from './messages/send.ts'
import { migrations } from './migrations.ts'
import { accountRoutes, otherRoutes } from './routes/account.ts'
import { mediaRoutes } from './routes/media.ts'
import { messageRoutes } from './routes/messages.ts'
import { templateRoutes } from './routes/templates.ts'
import { webhookRoutes } from './routes/webhook.ts'
import { createMediaStore } from './store/media-store.ts'
import { createSentFacts } from './store/sent-facts.ts'
import { createTemplates } from './templates/templates.ts'
import { createBodies } from './webhook/bodies.ts'
import { createCallbacks } from './webhook/callbacks.ts'
import { cloudFormat } from './webhook/format.ts'

const HOUR_MS = 3_600_000

/** Deletes files and choices older than `keepDays`, at start and every hour. */
function createPruning({ db, config, log }: Kernel<CloudConfig>): Interval {
  async function prune(): Promise<void> {
    const before = Date.now() - Math.round(config.keepDays * 24 * HOUR_MS)
    for (const name of ['media', 'media_parts', 'sent'])
      await db.prune(name, (query) => query.where('logged', '<', before))
  }
  return createInterval(HOUR_MS, prune, (error) =>
    log.error({ err: error }, 'deleting old files of the Cloud API dialect failed'),
  )
}

/** The dialect of WhatsApp's Cloud API and its webhooks, for clients written for it. */
export default definePlugin({
  name: 'cloud-api',
  version: '0.1.0',
  api: '^1.0.0',
  needs: [
    'sender',
    'targets',
    'media',
    'attachments',
    'markRead',
    'httpClient',
    'sessionSettings',
    'webhooks',
  ],
  wants: ['publicAddress'],
  config: ConfigSchema,
  errors,
  redact: ['VerifyToken', 'verify_token', 'AppSecret', 'appSecret'],
  migrations,
  services: () => ({
    sentFacts: asFunction(createSentFacts).singleton(),
    mediaStore: asFunction(createMediaStore).singleton(),
    templates: asFunction(createTemplates).singleton(),
    files: asFunction(createFiles).singleton(),
    bodies: asFunction(createBodies).singleton(),
    callbacks: asFunction(createCallbacks).singleton(),
    pruning: asFunction(createPruning)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  contributes: {
    around: (deps) => (call, next) => speakGraph(call, next, deps),
    webhookFormats: cloudFormat,
    sessionSettings: () => ({ title: 'Cloud API', schema: SessionSchema }),
    messageHooks: () => ({
      // Other messages of the account are echoes.
      beforeSend: ({ path }) => (path === PATH ? { annotations: { sent: true } } : undefined),
    }),
  },
  // Those hooks act on the gateway's errors: they count wrong tokens, and forward calls for sessions of other nodes.
  order: { before: ['audit', 'cluster'] },
  routes: (r) => [
    ...messageRoutes(r),
    ...mediaRoutes(r),
    ...templateRoutes(r),
    ...accountRoutes(r),
    ...webhookRoutes(r),
    ...otherRoutes(r),
  ],
  async setup({ pruning }) {
    pruning.start()
  },
})
