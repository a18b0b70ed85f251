import { Done, file, SAMPLES } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { Jid, toBusiness } from './business-jid.ts'
import { removeCover, setCover } from './cover.ts'
import { hoursBody, setHours } from './hours.ts'
import { jpegOrPng } from './pictures.ts'
import { Category, Profile, readCategories, readProfile, setText } from './profile.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets' | 'media'>

export const profileRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/business/get/profile', {
    ignoresUnknown: true,
    summary: 'Read a business profile',
    description: 'Without `jid` the profile of the own account.',
    scope: 'read',
    body: T.Object({ jid: Jid }),
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
