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
    summary: 'Read the privacy settings of the account',
    response: Privacy,
    handle: ({ session }) => privacyOf(session.socket),
  }),
  r.post('/user/block', {
    summary: 'Block a person',
    body: T.Object({ Phone }),
    response: Blocked,
    handle: async ({ body, session }, { targets }): Promise<Blocklist> =>
      block(session.socket, await targets.resolveUser(session, body.Phone)),
  }),
  r.post('/user/unblock', {
    summary: 'Unblock a person',
    body: T.Object({ Phone }),
    response: Blocked,
    handle: async ({ body, session }, { targets }): Promise<Blocklist> =>
      unblock(session.socket, await targets.resolveUser(session, body.Phone)),
  }),
  r.get('/user/blocklist', {
    summary: 'Read the block list',
    response: Blocked,
    handle: ({ session }) => readBlocklist(session.socket),
  }),
  r.post('/user/profile', {
    summary: "Set the account's picture",
    body: T.Object({ Image: file('The picture; cropped to a square around its middle') }),
    response: T.Object({ Details: T.String(), PictureID: T.String() }),
    handle: async ({ body, session }, { media }) => ({
      Details: 'Profile picture set successfully',
      PictureID: await setPicture(session.socket, await media.image('Image', body.Image)),
    }),
  }),
  r.post('/user/presence', {
    summary: 'Set the account online or offline',
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
    summary: "Read the account's quota of new chats and whether it is restricted",
    response: Limits,
    handle: ({ session }) => limitsOf(session.socket),
  }),
]
