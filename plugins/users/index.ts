import { definePlugin } from 'wamux/plugin'
import { accountRoutes } from './account-routes.ts'
import { events } from './events.ts'
import { lookupRoutes } from './lookup-routes.ts'
import { ofNotification } from './translate.ts'

/** People, as the network shows them, and what the account itself shows, hides and may do. */
export default definePlugin({
  name: 'users',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['targets', 'media', 'wire'],
  events,
  translate: {
    'stanza.notification': async ({ data, session }, { sessions }) =>
      ofNotification(data, (await sessions.byId(session))?.socket),
  },
  routes: (r) => [...lookupRoutes(r), ...accountRoutes(r)],
})
