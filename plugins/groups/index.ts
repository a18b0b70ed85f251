import { definePlugin, type ExplainedErrorRow } from 'wamux/plugin'
import { events } from './events.ts'
import { ofNotification } from './notification.ts'
import { communityRoutes } from './routes-community.ts'
import { inviteRoutes } from './routes-invites.ts'
import { memberRoutes } from './routes-member.ts'
import { requestRoutes } from './routes-requests.ts'
import { changeRoutes } from './routes-update.ts'
import { eventSamples } from './samples.ts'

const errors = {
  ACTION_INVALID: [
    400,
    'invalid Action in Payload',
    {
      meaning: 'The change of members is not one that exists.',
      cause: '`Action` is misspelled.',
      remedy: 'Send one of the actions that `details` lists.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
}

/** Groups and communities: reading, creating, changing, joining and leaving them, and their events. */
export default definePlugin({
  name: 'groups',
  version: '0.1.0',
  api: '^1.0.0',
  errors,
  needs: ['media', 'sender', 'targets'],
  events,
  contributes: { eventSamples },
  translate: {
    'stanza.notification': ({ data, session }, { sessions }) =>
      ofNotification(data, async (lid) => {
        const { socket } = (await sessions.byId(session)) ?? {}
        return (await socket?.knownAlt(lid)) ?? ''
      }),
  },
  routes: (r) => [
    ...memberRoutes(r),
    ...inviteRoutes(r),
    ...requestRoutes(r),
    ...changeRoutes(r),
    ...communityRoutes(r),
  ],
})
