import { definePlugin } from 'wamux/plugin'
import { events, translate } from './events.ts'
import { routes } from './routes.ts'
import { adminRoutes } from './routes-admin.ts'
import { passkeyRoutes } from './routes-passkey.ts'

/** The life cycle of sessions: create, link, observe, delete. */
export default definePlugin({
  name: 'session',
  version: '0.1.0',
  api: '^1.0.0',
  routes: (r) => [...adminRoutes(r), ...routes(r), ...passkeyRoutes(r)],
  events,
  translate,
})
