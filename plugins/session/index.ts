import { asFunction, definePlugin } from 'wamux/plugin'
import { events, translate } from './events.ts'
import { createHistory } from './history.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { adminRoutes } from './routes-admin.ts'
import { historyRoutes } from './routes-history.ts'
import { passkeyRoutes } from './routes-passkey.ts'
import { tokenRoutes } from './routes-token.ts'

/** The life cycle of sessions: create, link, observe, delete. */
export default definePlugin({
  name: 'session',
  version: '0.1.0',
  api: '^1.0.0',
  wants: ['keys'],
  migrations,
  services: () => ({ history: asFunction(createHistory).singleton() }),
  routes: (r) => [
    ...adminRoutes(r),
    ...routes(r),
    ...historyRoutes(r),
    ...passkeyRoutes(r),
    ...tokenRoutes(r),
  ],
  events,
  translate,
  metrics,
  setup: ({ history }) => history.start(),
  close: ({ history }) => history.stop(),
})
