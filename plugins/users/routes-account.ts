import {
  ask,
  askMex,
  child,
  DISAPPEARING_TIMERS,
  Done,
  file,
  Phone,
  SAMPLES,
  toMexError,
} from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, type Socket, T } from 'wamux/plugin'
import { announce, PRESENCES, toPresence } from './announce.ts'
import { type Blocklist, block, readBlocklist, unblock } from './blocklist.ts'
import { limitsOf } from './limits.ts'
import { Blocked, Limits } from './schemas.ts'

const SET = { id: '9152604461510864', path: 'xwa2_update_text_status' }
const VERB = 'set the about text'

/**
 * Sets the account's about text, or clears it with ''. The query that Baileys has for it (Socket/chats.js updateProfileStatus) is
 * answered, but may change nothing (whatsmeow#1219). Of the result nothing is known.
 */
async function setAbout(socket: Socket, text: string): Promise<void> {
  // Without an end.
  const input = { text: text || null, ephemeral_duration_sec: 0 }
  const answer = await askMex(socket, SET, { input }, VERB)
  if ('refusal' in answer) throw toMexError(answer.refusal, VERB)
}

type Deps = Kernel<unknown> &
  Pick<GatewayServices, 'targets' | 'media'> & {
    presenceSubscriptions?: GatewayServices['presenceSubscriptions'] | undefined
  }

const TIMERS = Object.keys(DISAPPEARING_TIMERS) as (keyof typeof DISAPPEARING_TIMERS)[]

export const accountRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/user/block', {
    ignoresUnknown: true,
    leaves: ['recipient'],
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
    ignoresUnknown: true,
    leaves: ['recipient'],
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
    ignoresUnknown: true,
    summary: 'Read the block list',
    description: 'JIDs of all blocked people.',
    response: Blocked,
    handle: ({ session }) => readBlocklist(session.socket),
  }),
  r.post('/user/profile', {
    ignoresUnknown: true,
    leaves: ['profile'],
    isIdempotent: true,
    summary: "Set the account's picture",
    description: 'JPEG, PNG or WebP, cropped to a square.',
    example: { Image: SAMPLES.picture },
    body: T.Object({ Image: file('The picture; cropped to a square around its centre') }),
    response: T.Object({ Details: T.String(), PictureID: T.String() }),
    handle: async ({ body, session }, { media }) => ({
      Details: 'Profile picture set successfully',
      PictureID: await setPicture(session.socket, await media.of(session.id).photo('Image', body.Image)),
    }),
  }),
  r.post('/user/profile/remove', {
    leaves: ['profile'],
    isDestructive: true,
    isIdempotent: true,
    summary: "Remove the account's picture",
    description: 'For everyone.',
    response: Done,
    async handle({ session }) {
      await removePicture(session.socket)
      return { Details: 'Profile picture removed' }
    },
  }),
  r.post('/user/about', {
    leaves: ['profile'],
    isIdempotent: true,
    summary: "Set the account's about text; an empty text clears it",
    description: 'People see it as the privacy setting `Status` allows.',
    example: { About: 'Open from seven' },
    // The limit of the apps.
    body: T.Object({ About: T.String({ maxLength: 139, allowEmpty: true, aliases: ['Status'] }) }),
    response: Done,
    async handle({ body, session }) {
      await setAbout(session.socket, body.About)
      return { Details: 'About text set' }
    },
  }),
  r.post('/user/disappearing-timer', {
    leaves: ['profile'],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Set the default disappearing timer',
    description:
      'Messages of chats that the account begins from now on disappear after that time; `POST /chat/disappearing-timer` changes a chat.',
    example: { Timer: 'off' },
    body: T.Object({ Timer: T.Enum(TIMERS, { description: 'off, 24h, 7d or 90d' }) }),
    response: Done,
    async handle({ body, session }) {
      await session.socket.setDefaultTimer(DISAPPEARING_TIMERS[body.Timer])
      return { Details: 'Default disappearing timer set' }
    },
  }),
  r.post('/user/presence', {
    ignoresUnknown: true,
    leaves: ['profile'],
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
    ignoresUnknown: true,
    summary: "Read the account's quota of new chats and whether it is restricted",
    description: 'A restricted account can not start new chats.',
    response: Limits,
    handle: ({ session }) => limitsOf(session.socket),
  }),
]

async function removePicture(socket: Socket): Promise<void> {
  await ask(socket, { xmlns: 'w:profile:picture', type: 'set', verb: 'remove the picture' })
}

/** Sets the account's picture; resolves to its id. */
async function setPicture(socket: Socket, jpeg: Buffer): Promise<string> {
  const content = { tag: 'picture', attrs: { type: 'image' }, content: jpeg }
  const reply = await ask(socket, {
    xmlns: 'w:profile:picture',
    type: 'set',
    content,
    verb: 'set the picture',
  })
  return child(reply, 'picture')?.attrs['id'] ?? ''
}
