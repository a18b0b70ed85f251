import { definePlugin } from 'wamux/plugin'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { accountRoutes } from './routes-account.ts'
import { lookupRoutes } from './routes-lookup.ts'
import { ofNotification } from './translate.ts'

/** Looking up people; the account's own profile, privacy, block list and limits. */
export default definePlugin({
  name: 'users',
  version: '0.1.0',
  api: '^1.0.0',
  errors,
  needs: ['targets', 'media', 'wire'],
  wants: ['presenceSubscriptions'],
  events,
  translate: {
    'stanza.notification': async ({ data, session }, { sessions }) =>
      ofNotification(data, (await sessions.byId(session))?.socket),
  },
  routes: (r) => [...lookupRoutes(r), ...accountRoutes(r)],
})
