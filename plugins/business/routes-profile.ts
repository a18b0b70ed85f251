import { Done } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { Jid, toBusiness } from './business-jid.ts'
import { Category, changeProfile, Profile, readCategories, readProfile } from './profile.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets'>

export const profileRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/business/get/profile', {
    summary: 'Read a business profile',
    description: 'Without `jid` the profile of the own account.',
    scope: 'read',
    body: T.Object({ jid: Jid }),
    response: Profile,
    handle: async ({ body, session }, { targets }) =>
      readProfile(session, await toBusiness(session, targets, body.jid)),
  }),
  r.get('/business/get/categories', {
    summary: 'List the categories that a business can have',
    description: 'With the id and the name of each.',
    response: T.Object({ Categories: T.Array(Category) }),
    handle: async ({ session }) => ({ Categories: await readCategories(session) }),
  }),
  r.post('/business/update/desc', {
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
      await changeProfile(session, 'description', body.desc)
      return { Details: 'Description set' }
    },
  }),
  r.post('/business/update/address', {
    isIdempotent: true,
    summary: 'Set the address of your business',
    description: 'Only for business accounts.',
    example: { address: 'Rua das Flores 1, São Paulo' },
    body: T.Object({
      address: T.String({ minLength: 1, maxLength: 4096, description: 'Where the business is' }),
    }),
    response: Done,
    handle: async ({ body, session }) => {
      await changeProfile(session, 'address', body.address)
      return { Details: 'Address set' }
    },
  }),
  r.post('/business/update/email', {
    isIdempotent: true,
    summary: 'Set the e-mail address of your business',
    description: 'Only for business accounts.',
    example: { email: 'shop@example.com' },
    body: T.Object({
      email: T.String({ minLength: 1, format: 'email', description: 'E-mail address of the business' }),
    }),
    response: Done,
    handle: async ({ body, session }) => {
      await changeProfile(session, 'email', body.email)
      return { Details: 'Email set' }
    },
  }),
]
