import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema, SessionSchema } from './config.ts'
import { errors } from './errors.ts'
import { speakGraph } from './graph/dialect.ts'
import { createFiles } from './messages/files.ts'
import { PATH } from './messages/send.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { accountRoutes, otherRoutes } from './routes/account.ts'
import { mediaRoutes } from './routes/media.ts'
import { messageRoutes } from './routes/messages.ts'
import { templateRoutes } from './routes/templates.ts'
import { webhookRoutes } from './routes/webhook.ts'
import { createMediaStore } from './store/media-store.ts'
import { createPruning } from './store/prune.ts'
import { createSentFacts } from './store/sent-facts.ts'
import { createTemplates } from './templates/templates.ts'
import { createBacklog } from './webhook/backlog.ts'
import { createBodies } from './webhook/bodies.ts'
import { createCourier } from './webhook/courier.ts'
import { createHooks } from './webhook/hooks.ts'

/** The dialect of WhatsApp's Cloud API and its webhooks, for clients that were written for it. */
export default definePlugin({
  name: 'cloud-api',
  version: '0.1.0',
  api: '^1.3.0',
  needs: ['sender', 'targets', 'media', 'attachments', 'httpClient', 'sessionSettings'],
  wants: ['publicAddress', 'ownership'],
  config: ConfigSchema,
  errors,
  redact: ['VerifyToken', 'verify_token', 'AppSecret', 'appSecret'],
  migrations,
  services: () => ({
    sentFacts: asFunction(createSentFacts).singleton(),
    mediaStore: asFunction(createMediaStore).singleton(),
    templates: asFunction(createTemplates).singleton(),
    files: asFunction(createFiles).singleton(),
    hooks: asFunction(createHooks).singleton(),
    backlog: asFunction(createBacklog).singleton(),
    bodies: asFunction(createBodies).singleton(),
    courier: asFunction(createCourier).singleton(),
    pruning: asFunction(createPruning).singleton(),
  }),
  contributes: {
    sessionSettings: () => ({ title: 'Cloud API', schema: SessionSchema }),
    messageHooks: () => ({
      // Other messages of the account are echoes.
      beforeSend: ({ path }) => (path === PATH ? { annotations: { sent: true } } : undefined),
    }),
  },
  // They act on errors of the gateway: a wrong token is counted, a call of a session that another node serves is passed on.
  before: ['audit', 'cluster'],
  around: speakGraph,
  metrics,
  routes: (r) => [
    ...messageRoutes(r),
    ...mediaRoutes(r),
    ...templateRoutes(r),
    ...accountRoutes(r),
    ...webhookRoutes(r),
    ...otherRoutes(r),
  ],
  consume: {
    types: ['Message', 'ReadReceipt', 'SendFailed'],
    batch: 50,
    isPerSession: true,
    // What a receiver refuses does not come here: an event that fails can't be translated.
    deadLetter: { after: 10 },
    // Whether a session that was just gained has a webhook is not known: what is left out would be lost.
    sessions: (session, { hooks, courier, sessionSettings }) =>
      courier.isOpening(session) ||
      (hooks.of(session) !== undefined && sessionSettings.isOn(session, 'cloud-api')),
    handle: (events, { courier }) => courier.handle(events),
  },
  async setup({ courier, pruning }) {
    await courier.start()
    pruning.start()
  },
  async close({ courier, pruning }) {
    await courier.stop()
    await pruning.stop()
  },
})
