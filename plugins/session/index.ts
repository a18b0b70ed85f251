import { asFunction, definePlugin } from 'wamux/plugin'
import { createDays } from './day.ts'
import { events, translate } from './events.ts'
import { createHistory } from './history.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { adminRoutes } from './routes-admin.ts'
import { historyRoutes } from './routes-history.ts'
import { passkeyRoutes } from './routes-passkey.ts'
import { storageRoutes } from './routes-storage.ts'
import { summaryRoutes } from './routes-summary.ts'
import { tokenRoutes } from './routes-token.ts'
import { createStorage } from './storage.ts'
import { createSummaries } from './summaries.ts'

/** The life cycle of sessions: create, link, observe, delete. */
export default definePlugin({
  name: 'session',
  version: '0.1.0',
  api: '^1.0.0',
  wants: ['backlogs', 'keys', 'outboxes', 'ownership', 'pace'],
  migrations,
  services: () => ({
    history: asFunction(createHistory).singleton(),
    days: asFunction(createDays).singleton(),
    storage: asFunction(createStorage).singleton(),
    summaries: asFunction(createSummaries).singleton(),
  }),
  routes: (r) => [
    ...adminRoutes(r),
    ...routes(r),
    ...historyRoutes(r),
    ...storageRoutes(r),
    ...passkeyRoutes(r),
    ...tokenRoutes(r),
    ...summaryRoutes(r),
  ],
  events,
  translate,
  metrics,
  setup: ({ history }) => history.start(),
  close: ({ history }) => history.stop(),
})
