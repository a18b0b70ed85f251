import { Done, file, Phone } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { announce, toPresence } from './announce.ts'
import { type Blocklist, block, readBlocklist, unblock } from './blocklist.ts'
import { limitsOf } from './limits.ts'
import { setPicture } from './picture.ts'
import { privacyOf } from './privacy.ts'
import { Blocked, Limits, Privacy } from './schemas.ts'

type Deps = Kernel<unknown> &
  Pick<GatewayServices, 'targets' | 'media'> & {
    presenceSubscriptions?: GatewayServices['presenceSubscriptions'] | undefined
  }

export const accountRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/user/privacy', {
    summary: 'What the account shows to whom',
    response: Privacy,
    handle: ({ session }) => privacyOf(session.socket),
  }),
  r.post('/user/block', {
    summary: 'Block somebody',
    body: T.Object({ Phone }),
    response: Blocked,
    handle: ({ body, session }, { targets }): Promise<Blocklist> =>
      block(session.socket, targets.toUser(body.Phone)),
  }),
  r.post('/user/unblock', {
    summary: 'Unblock somebody',
    body: T.Object({ Phone }),
    response: Blocked,
    handle: ({ body, session }, { targets }): Promise<Blocklist> =>
      unblock(session.socket, targets.toUser(body.Phone)),
  }),
  r.get('/user/blocklist', {
    summary: 'Who is blocked',
    response: Blocked,
    handle: ({ session }) => readBlocklist(session.socket),
  }),
  r.post('/user/profile', {
    summary: "Set the account's picture",
    body: T.Object({ Image: file('The picture; its middle is cut out as a square') }),
    response: T.Object({ Details: T.String(), PictureID: T.String() }),
    handle: async ({ body, session }, { media }) => ({
      Details: 'Profile picture set successfully',
      PictureID: await setPicture(session.socket, await media.image('Image', body.Image)),
    }),
  }),
  r.post('/user/presence', {
    summary: 'Show the account as online or not',
    body: T.Object({
      Presence: T.String({
        minLength: 1,
        aliases: ['type', 'State'],
        description: 'available or unavailable',
        examples: ['available'],
      }),
    }),
    response: Done,
    async handle({ body, session }, { presenceSubscriptions }) {
      const presence = toPresence(body.Presence)
      await announce(session.socket, presence)
      await presenceSubscriptions?.shown(session, presence === 'available')
      return { Details: `Presence set to ${presence}` }
    },
  }),
  r.get('/user/limits', {
    summary: 'How many new chats the account may begin, and whether it is locked from it',
    response: Limits,
    handle: ({ session }) => limitsOf(session.socket),
  }),
]
