import { definePlugin } from 'wamux/plugin'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { ofNotification } from './notification.ts'
import { communityRoutes } from './routes-community.ts'
import { memberRoutes } from './routes-member.ts'
import { changeRoutes } from './routes-update.ts'

/** Groups and communities: reading, creating, changing, joining and leaving them, and their events. */
export default definePlugin({
  name: 'groups',
  version: '0.1.0',
  api: '^1.0.0',
  errors,
  needs: ['media', 'targets'],
  events,
  translate: {
    'stanza.notification': ({ data, session }, { sessions }) =>
      ofNotification(data, async (lid) => {
        const { socket } = (await sessions.byId(session)) ?? {}
        return (await socket?.knownAlt(lid)) ?? ''
      }),
  },
  routes: (r) => [...memberRoutes(r), ...changeRoutes(r), ...communityRoutes(r)],
})
