import { Done, file, Phone, SAMPLES } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { announce, PRESENCES, toPresence } from './announce.ts'
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
    description:
      'Who may see the last time online, the picture, the about text and read receipts, and who may add the account to groups.',
    response: Privacy,
    handle: ({ session }) => privacyOf(session.socket),
  }),
  r.post('/user/block', {
    isDestructive: true,
    isIdempotent: true,
    summary: 'Block a person',
    description: 'A blocked person can neither write nor call. The answer has the block list.',
    example: { Phone: '5511988888888' },
    body: T.Object({ Phone }),
    response: Blocked,
    handle: async ({ body, session }, { targets }): Promise<Blocklist> =>
      block(session.socket, await targets.resolveUser(session, body.Phone)),
  }),
  r.post('/user/unblock', {
    isIdempotent: true,
    summary: 'Unblock a person',
    description: 'The answer has the block list.',
    example: { Phone: '5511988888888' },
    body: T.Object({ Phone }),
    response: Blocked,
    handle: async ({ body, session }, { targets }): Promise<Blocklist> =>
      unblock(session.socket, await targets.resolveUser(session, body.Phone)),
  }),
  r.get('/user/blocklist', {
    summary: 'Read the block list',
    description: 'JIDs of all blocked people.',
    response: Blocked,
    handle: ({ session }) => readBlocklist(session.socket),
  }),
  r.post('/user/profile', {
    isIdempotent: true,
    summary: "Set the account's picture",
    description: 'JPEG, PNG or WebP, cropped to a square.',
    example: { Image: SAMPLES.picture },
    body: T.Object({ Image: file('The picture; cropped to a square around its centre') }),
    response: T.Object({ Details: T.String(), PictureID: T.String() }),
    handle: async ({ body, session }, { media }) => ({
      Details: 'Profile picture set successfully',
      PictureID: await setPicture(session.socket, await media.image('Image', body.Image)),
    }),
  }),
  r.post('/user/presence', {
    isIdempotent: true,
    summary: 'Set the account online or offline',
    description: 'While it is unavailable, WhatsApp does not report the typing of others.',
    example: { Presence: 'available' },
    body: T.Object({
      Presence: T.String({
        minLength: 1,
        format: 'name',
        words: [...PRESENCES],
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
    description: 'A restricted account can not start new chats.',
    response: Limits,
    handle: ({ session }) => limitsOf(session.socket),
  }),
]
