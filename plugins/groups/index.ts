import { definePlugin, type ErrorRow } from 'wamux/plugin'
import { events } from './events.ts'
import { ofNotification } from './notification.ts'
import { communityRoutes } from './routes-community.ts'
import { memberRoutes } from './routes-member.ts'
import { changeRoutes } from './routes-update.ts'

const errors = {
  ACTION_INVALID: [400, 'invalid Action in Payload'],
} as const satisfies Record<string, ErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
}

/** Groups and communities: reading, creating, changing, joining and leaving them, and their events. */
export default definePlugin({
  name: 'groups',
  version: '0.1.0',
  api: '^3.0.0',
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
