import { asFunction, definePlugin } from 'wamux/plugin'
import { events } from './events.ts'
import { createLive } from './live.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { ofNotification } from './translate.ts'

/** Newsletters (channels): make, find, follow and read them, and hear what happens to them. */
export default definePlugin({
  name: 'newsletters',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['targets', 'wire', 'messageJson'],
  migrations,
  services: () => ({ live: asFunction(createLive).singleton() }),
  routes,
  events,
  translate: {
    'stanza.notification': ({ data }, { wire, messageJson }) => ofNotification({ wire, messageJson }, data),
  },
  on: {
    Connected: ({ session }, { live, background }) => background(live.resume(session), 'live updates'),
    NewsletterLeave: ({ session, body }, { live }) => live.stop(session, body.event.id),
  },
  close: async ({ live }) => live.close(),
})
