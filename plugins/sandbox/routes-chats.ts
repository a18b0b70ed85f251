import { digits } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  pageOf,
  type RouteBuilder,
  reply,
  T,
} from 'wamux/plugin'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sandbox'>

const access = 'admin' as const
const MAX_LIMIT = 200

/** A message as the phone shows it; also used by the stream. */
export const ShownMessage = T.Object(
  {
    Seq: T.Integer(),
    ID: T.String(),
    Chat: T.String({ description: 'LID of a person, JID of a group or newsletter' }),
    From: T.String({ description: 'Number of the author; a JID if it is not a person' }),
    FromMe: T.Boolean(),
    Time: T.Integer({ description: 'Unix seconds' }),
    Kind: T.String({
      description:
        'text, image, video, video note, gif, voice, audio, document, sticker, revoked, or the field of another message',
    }),
    Text: T.String(),
    Media: T.Optional(
      T.Object({
        Mimetype: T.String(),
        Size: T.Integer(),
        Unreadable: T.Optional(
          T.Boolean({ description: 'Whether the app would not show or play it; absent for others' }),
        ),
      }),
    ),
    Quoted: T.Optional(
      T.Object({
        ID: T.String(),
        Text: T.String(),
        Chat: T.Optional(
          T.String({
            description: 'The other chat that it is shown to be from; absent for a reply within a chat',
          }),
        ),
      }),
    ),
    Album: T.Optional(
      T.String({ description: 'Id of the message that announces its album; absent for others' }),
    ),
    Forwarded: T.Optional(
      T.String({ description: 'The mark of a forwarded message: once or many times; absent for others' }),
    ),
    Reactions: T.Array(T.Object({ From: T.String(), Text: T.String() })),
    Answers: T.Optional(
      T.Array(T.Object({ From: T.String(), Chosen: T.Array(T.String()) }), {
        description: 'Chosen options of a poll, or answers to an event; absent without any',
      }),
    ),
    Cancelled: T.Optional(T.Boolean({ description: 'Of an event: whether its author has cancelled it' })),
    Edited: T.Boolean(),
    Revoked: T.Boolean(),
    Pinned: T.Optional(
      T.Integer({ description: 'Until when it is pinned in the chat, Unix seconds; absent if it is not' }),
    ),
    Expires: T.Optional(T.Integer({ description: 'When it disappears, Unix seconds; absent if it stays' })),
    WillNotDisappear: T.Optional(
      T.Boolean({ description: 'Whether the phone warns that the message lacks the timer of its chat' }),
    ),
    ViewOnce: T.Optional(
      T.String({ description: 'Of a message that is viewed once: opened or closed; absent for others' }),
    ),
    Tick: T.String({ description: 'For own messages: sent, delivered, read, played or refused' }),
  },
  { title: 'SandboxMessage' },
)
const Chat = T.Object({
  Chat: T.String({ description: 'LID of a person, JID of a group or newsletter' }),
  Unread: T.Integer(),
  Seq: T.Integer({ description: 'Of the newest message' }),
})

/** Types that browsers display; files of other types are only downloaded. */
const SHOWN = /^(image\/(png|jpeg|webp|gif)|(audio|video)\/[\w.+-]+)(; ?[\w-]+=[\w-]+)*$/

/** Routes for what a phone's user sees. */
export const chatRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/sandbox/phones/:phone/chats', {
    params: { phone: '5511999999999' },
    summary: 'List the chats of a phone, the newest first',
    description: 'As its user sees them.',
    access,
    response: T.Object({ Chats: T.Array(Chat) }),
    handle: async ({ params }, { sandbox }) => ({
      Chats: sandbox.phones
        .get(params['phone'] ?? '')
        .display.chats()
        .map(({ chat, unread, seq }) => ({ Chat: chat, Unread: unread, Seq: seq })),
    }),
  }),
  r.get('/sandbox/phones/:phone/chats/:chat', {
    params: { phone: '5511999999999', chat: '5511955555555' },
    summary: 'List messages of a chat with their reactions, edits and ticks, oldest first',
    description: 'The newest, or those before a seq. `chat` is a number or JID.',
    access,
    body: T.Object({
      before: digits('Only messages with a smaller seq'),
      limit: digits('50 when absent, 200 at most'),
    }),
    response: T.Object({ Messages: T.Array(ShownMessage) }),
    async handle({ body, params }, { sandbox }) {
      const before = Number(body.before ?? Number.MAX_SAFE_INTEGER)
      const limit = Math.max(1, Math.min(MAX_LIMIT, Number(body.limit ?? 50)))
      const { display } = sandbox.phones.get(params['phone'] ?? '')
      const found = display.page(params['chat'] ?? '', before, limit)
      const { items } = pageOf(found.toReversed(), (message) => message)
      return { Messages: items.toReversed() }
    },
  }),
  r.get('/sandbox/phones/:phone/messages/:id/file', {
    params: { phone: '5511955555555', id: '3A1B2C3D4E5F60718294' },
    summary: 'Download the decrypted file of a message',
    description: 'From the storage of the phone or the media host.',
    access,
    errors: ['ITEM_UNKNOWN'],
    response: T.Unknown({ contentMediaType: 'application/octet-stream', description: 'The file' }),
    async handle({ params }, { sandbox }) {
      const id = params['id'] ?? ''
      if (!id) throw gatewayError('FIELD_MISSING', ['Id'])
      const { mimetype, data } = await sandbox.phones.get(params['phone'] ?? '').file(id)
      const isShown = SHOWN.test(mimetype)
      return reply(data, {
        // The sender of the message chose the type: the file must not run as a page of the gateway.
        'content-type': isShown ? mimetype : 'application/octet-stream',
        'content-disposition': isShown ? 'inline' : 'attachment',
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, max-age=3600',
      })
    },
  }),
]
