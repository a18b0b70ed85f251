import { Jid, Phone } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type RouteBuilder,
  type Socket,
  T,
} from 'wamux/plugin'
import { avatarOf } from './avatar.ts'
import { check } from './check.ts'
import { infoOf } from './info.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets' | 'wire'>

const Words = T.String()
const Phones = T.Array(T.String({ minLength: 1, format: 'phone' }), {
  minItems: 1,
  aliases: ['Phones', 'Number', 'Numbers'],
  description: 'Phone numbers with country code, JIDs, or usernames (@name)',
  examples: [['5511999999999']],
})
/** Answered one by one: an empty entry is an invalid number. */
const PhonesToCheck = T.Array(T.String({ allowEmpty: true, format: 'phone' }), {
  minItems: 1,
  aliases: ['Phones', 'Number', 'Numbers'],
  description: 'Phone numbers with country code, JIDs, or usernames (@name)',
  examples: [['5511999999999']],
})
const Preview = T.Optional(T.Boolean({ description: 'The small picture; the full one when absent' }))
const Avatar = T.Object({
  URL: Words,
  ID: Words,
  Type: T.String({ description: 'image or preview' }),
  DirectPath: Words,
  url: Words,
  id: Words,
})

export const lookupRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/user/info', {
    ignoresUnknown: true,
    summary: 'Read public profiles: name, about text, picture, devices',
    description: 'By JID, for all people with an account.',
    example: { Phone: ['5511999999999'] },
    scope: 'read',
    body: T.Object({ Phone: Phones }),
    response: T.Object({
      Users: T.Record(
        T.String(),
        T.Object({
          VerifiedName: Words,
          Status: Words,
          PictureID: Words,
          Devices: T.Array(Words),
          LID: Words,
          Username: T.Optional(T.String({ description: 'Without @; absent if there is none' })),
        }),
      ),
    }),
    handle: async ({ body, session }, { targets, wire }) => ({
      Users: await infoOf(session.socket, wire, await targets.resolveUsers(session, body.Phone)),
    }),
  }),
  r.post('/user/check', {
    ignoresUnknown: true,
    summary: 'Check which numbers are registered',
    description:
      'Ask before the first message to a number: sends to numbers without an account are refused, and many of them restrict an account.',
    example: { Phone: ['5511999999999', '5511900000000'] },
    scope: 'read',
    body: T.Object({ Phone: PhonesToCheck }),
    response: T.Object({
      Users: T.Array(
        T.Object({
          Query: T.String({ description: 'The number as given in the request' }),
          IsInWhatsapp: T.Boolean(),
          JID: Words,
          LID: Words,
          VerifiedName: Words,
          Error: T.Optional(T.String({ description: 'Why it is not a number; absent otherwise' })),
        }),
      ),
    }),
    handle: async ({ body, session }, { targets, wire }) => ({
      Users: await check(session, wire, targets, body.Phone),
    }),
  }),
  r.post('/user/avatar', {
    ignoresUnknown: true,
    summary: 'Read the picture of a person or group',
    description: '404 if the person has no picture or hides it. `Preview` requests a small one.',
    example: { Phone: '5511999999999', Preview: true },
    scope: 'read',
    body: T.Object({ Phone, Preview }),
    response: Avatar,
    handle: async ({ body, session }, { targets }) =>
      avatarOf(session.socket, await targets.resolveChat(session, body.Phone), body.Preview ?? false),
  }),
  r.get('/user/avatar', {
    ignoresUnknown: true,
    summary: 'Read a picture, with the fields in the query or a JSON body; your own without Phone',
    description: 'Like `POST /user/avatar`.',
    example: { Phone: '5511999999999', Preview: true },
    body: T.Object({ Phone: T.Optional(Phone), Preview }),
    response: Avatar,
    async handle({ body, session }, { targets }) {
      const jid = body.Phone ? await targets.resolveChat(session, body.Phone) : session.jid
      return avatarOf(session.socket, jid, body.Preview ?? false)
    },
  }),
  r.post('/user/parselid', {
    ignoresUnknown: true,
    summary: 'Read the phone number of a LID',
    example: { LID: '999999999911557@lid' },
    scope: 'read',
    description:
      'Available for people with whom the account has been in contact; the network does not disclose others.',
    body: T.Object({
      LID: T.String({ minLength: 1, format: 'phone', names: 'lid', description: 'With or without `@lid`' }),
    }),
    response: T.Object({ success: T.Boolean(), jid: Words, jidClear: Words, lid: Words }),
    handle: ({ body, session }) => parseLid(session.socket, body.LID),
  }),
]

interface ParsedLid {
  success: true
  jid: string
  jidClear: string
  lid: string
}

/** The phone number of a LID, from the local mapping. Rejects ITEM_UNKNOWN. */
async function parseLid(socket: Socket, given: string): Promise<ParsedLid> {
  const user = /^(\d+)(:\d+)?(@lid)?$/.exec(given.trim())?.[1]
  if (!user) throw gatewayError('FIELD_INVALID', ['LID', `"${given}" is not a LID`])
  const lid = Jid.ofLid(user)
  const jid = await socket.altJid(lid)
  if (!jid) throw gatewayError('ITEM_UNKNOWN', ['LID'])
  return { success: true, jid, jidClear: jid.split('@', 1)[0] ?? '', lid }
}
