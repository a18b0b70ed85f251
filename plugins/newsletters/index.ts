import { asFunction, definePlugin } from 'wamux/plugin'
import { events } from './events.ts'
import { createJoins, ofJoin } from './joins.ts'
import { createLiveUpdates } from './live-updates.ts'
import { migrations } from './migrations.ts'
import { ofChange } from './own-changes.ts'
import { routes } from './routes.ts'
import { adminRoutes } from './routes-admin.ts'
import { followRoutes } from './routes-follow.ts'
import { ofNotification } from './translate.ts'

/** Newsletters (channels): creating, finding, following and reading them, and their events. */
export default definePlugin({
  name: 'newsletters',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['targets', 'wire', 'messageJson', 'sender', 'media'],
  migrations,
  services: () => ({
    liveUpdates: asFunction(createLiveUpdates)
      .singleton()
      .disposer((service) => service.close()),
    joins: asFunction(createJoins).singleton(),
  }),
  routes: (r) => [...routes(r), ...followRoutes(r), ...adminRoutes(r)],
  events,
  translate: {
    'stanza.notification': ({ data, session }, { wire, messageJson, joins }) =>
      ofNotification({ wire, messageJson }, data, (newsletter) => joins.keyOf(session, newsletter)),
    'newsletter.joined': ofJoin,
    'newsletter.changed': ofChange,
  },
  unreadable: { 'newsletter.joined': 'Newsletter', 'newsletter.changed': 'Newsletter' },
  on: {
    Connected: ({ session }, { liveUpdates, background }) =>
      background(liveUpdates.resume(session), 'live updates'),
    NewsletterLeave: ({ session, body }, { liveUpdates, joins }) => {
      joins.forget(session, body.event.id)
      return liveUpdates.stop(session, body.event.id)
    },
  },
})
