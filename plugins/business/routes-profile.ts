import { Done, file, node, SAMPLES } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type LiveSession,
  type RouteBuilder,
  T,
} from 'wamux/plugin'
import { BusinessJid, toBusiness } from './business-jid.ts'
import { hoursBody, setHours } from './hours.ts'
import { jpegOrPng } from './pictures.ts'
import { Category, changeProfile, Profile, readCategories, readProfile, setText } from './profile.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets' | 'media'>

export const profileRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/business/get/profile', {
    ignoresUnknown: true,
    summary: 'Read a business profile',
    description: 'Without `jid` the profile of the own account.',
    scope: 'read',
    body: T.Object({ jid: BusinessJid }),
    response: Profile,
    handle: async ({ body, session }, { targets }) =>
      readProfile(session, await toBusiness(session, targets, body.jid)),
  }),
  r.get('/business/get/categories', {
    ignoresUnknown: true,
    summary: 'List the categories that a business can have',
    description: 'With the id and the name of each.',
    response: T.Object({ Categories: T.Array(Category) }),
    handle: async ({ session }) => ({ Categories: await readCategories(session) }),
  }),
  r.post('/business/update/desc', {
    ignoresUnknown: true,
    leaves: ['business'],
    isIdempotent: true,
    summary: 'Set the description of your business',
    description: 'Only for business accounts.',
    example: { desc: 'Bread and cakes' },
    body: T.Object({
      desc: T.String({
        minLength: 1,
        maxLength: 4096,
        aliases: ['Description'],
        description: 'What the business does',
      }),
    }),
    response: Done,
    handle: async ({ body, session }) => {
      await setText(session, 'description', body.desc)
      return { Details: 'Description set' }
    },
  }),
  r.post('/business/update/address', {
    ignoresUnknown: true,
    leaves: ['business'],
    isIdempotent: true,
    summary: 'Set the address of your business',
    description: 'Only for business accounts.',
    example: { address: 'Rua das Flores 1, São Paulo' },
    body: T.Object({
      address: T.String({ minLength: 1, maxLength: 4096, description: 'Where the business is' }),
    }),
    response: Done,
    handle: async ({ body, session }) => {
      await setText(session, 'address', body.address)
      return { Details: 'Address set' }
    },
  }),
  r.post('/business/update/email', {
    ignoresUnknown: true,
    leaves: ['business'],
    isIdempotent: true,
    summary: 'Set the e-mail address of your business',
    description: 'Only for business accounts.',
    example: { email: 'shop@example.com' },
    body: T.Object({
      email: T.String({ minLength: 1, format: 'email', description: 'E-mail address of the business' }),
    }),
    response: Done,
    handle: async ({ body, session }) => {
      await setText(session, 'email', body.email)
      return { Details: 'Email set' }
    },
  }),
  r.post('/business/update/hours', {
    leaves: ['business'],
    isIdempotent: true,
    summary: 'Set the opening hours of your business',
    description:
      'All of them: a day that is absent is closed, and an empty list clears the hours. They can be sent as `/business/get/profile` answers them.',
    example: {
      TimeZone: 'America/Sao_Paulo',
      BusinessHours: [
        { DayOfWeek: 'mon', Mode: 'specific_hours', OpenTime: 480, CloseTime: 1080 },
        { DayOfWeek: 'sat', Mode: 'open_24h' },
      ],
    },
    body: hoursBody,
    response: Done,
    handle: async ({ body, session }) => {
      await setHours(session, body.TimeZone, body.BusinessHours)
      return { Details: 'Hours set' }
    },
  }),
  r.post('/business/cover', {
    leaves: ['business'],
    isIdempotent: true,
    summary: 'Set the cover picture of your business',
    description: 'The wide picture above the profile. JPEG or PNG; the apps cut it to their width.',
    example: { Image: SAMPLES.picture },
    body: T.Object({ Image: file('The picture') }),
    response: T.Object({
      Details: T.String(),
      CoverPhotoID: T.String({ description: 'Its id in `/business/get/profile`' }),
    }),
    handle: async ({ body, session }, { media }) => ({
      Details: 'Cover picture set',
      CoverPhotoID: await setCover(session, await jpegOrPng(media, session.id, 'Image', body.Image)),
    }),
  }),
  r.post('/business/cover/remove', {
    leaves: ['business'],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Remove the cover picture of your business',
    description: 'For everyone.',
    response: Done,
    handle: async ({ session }) => {
      await removeCover(session)
      return { Details: 'Cover picture removed' }
    },
  }),
]

/** Uploads a picture and makes it the cover of the profile; returns its id. */
async function setCover(session: LiveSession, picture: Buffer): Promise<string> {
  const { fbid, meta_hmac: token, ts } = await session.socket.uploadOpen(picture, 'biz-cover-photo')
  if (!fbid || !token || !ts) throw gatewayError('UPLOAD_FAILED', ['the answer has no id'])
  const id = String(fbid)
  const cover = node('cover_photo', { op: 'update', id, token, ts: String(ts) })
  await changeProfile(session, cover, 'set the cover picture')
  return id
}

/** Removes the cover, whichever device has set it: its id is in the profile. Rejects ITEM_UNKNOWN if there is none. */
async function removeCover(session: LiveSession): Promise<void> {
  const { CoverPhotoID: id } = await readProfile(session, session.jid)
  if (!id) throw gatewayError('ITEM_UNKNOWN', ['Cover picture'])
  await changeProfile(session, node('cover_photo', { op: 'delete', id }), 'remove the cover picture')
}
