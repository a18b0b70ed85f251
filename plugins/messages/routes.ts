import type { proto, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { Done, Jid, LENGTHS, Phone, Recipient, Sent } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { MessagesConfig } from './config.ts'
import { type MarkRead, markPlayed } from './mark-read.ts'
import { editableKeyOf, keyOf, ownKeyOf, requireRecent } from './message-key.ts'
import type { States } from './state/states.ts'
import { flagsOf } from './translate/info.ts'
import { Author, requestOf, Target } from './verbs/target.ts'

const CAPTIONED = ['imageMessage', 'videoMessage', 'documentMessage'] as const
const UNTEXTUAL = ['audioMessage', 'stickerMessage', 'ptvMessage'] as const
const MESSAGE_EDIT = 14

/** The edit of a file's caption, which repeats the file; undefined for a text. Rejects FIELD_INVALID for a file without a caption. */
function captionEditOf(
  message: WAMessage | undefined,
  key: WAMessageKey,
  caption: string,
): { proto: proto.IMessage } | undefined {
  const { inner, flags } = flagsOf(message?.message ?? {})
  if (UNTEXTUAL.some((one) => inner[one]))
    throw gatewayError('FIELD_INVALID', ['Id', 'has no text or caption'])
  const kind = CAPTIONED.find((one) => inner[one])
  if (!kind) return undefined
  if (flags.IsViewOnce) throw gatewayError('FIELD_INVALID', ['Id', 'can be viewed only once'])
  const editedMessage = { [kind]: { ...inner[kind], caption } }
  return { proto: { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage, timestampMs: Date.now() } } }
}

type Deps = Kernel<MessagesConfig> &
  Pick<GatewayServices, 'sender' | 'targets'> & { states: States; markRead: MarkRead }

/** Stored messages of one chat. */
const messagesOf = (most: number) => ({
  Id: T.Array(T.String({ minLength: 1, format: 'id' }), {
    minItems: 1,
    maxItems: most,
    aliases: ['MessageId'],
    description: 'Message ids',
  }),
  Chat: T.String({ minLength: 1, format: 'phone', aliases: ['ChatPhone', 'Phone'] }),
})

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/message/react', {
    ignoresUnknown: true,
    summary: 'React to a message',
    description: 'An empty `Body` removes the reaction.',
    example: { Phone: '5511999999999', Body: '👍', Id: '3A1B2C3D4E5F60718293', IsFromMe: false },
    body: T.Object({
      Phone: Recipient,
      Body: T.String({
        maxLength: LENGTHS.id,
        allowEmpty: true,
        description: 'An emoji; "remove" or an empty text removes the reaction',
      }),
      Id: Target,
      IsFromMe: T.Boolean({
        description: 'The message is your own (implied if Id begins with "me:")',
      }),
      Participant: Author('In a group: author of the message, if it is not stored here'),
    }),
    response: Sent,
    async handle({ body, session, viewer, header, traceparent }, { sender, targets }) {
      const id = body.Id.replace(/^me:/, '')
      const isFromMe = body.IsFromMe || id !== body.Id
      const author = body.Participant && (await targets.resolveUser(session, body.Participant, 'Participant'))
      const chat = await targets.resolveChat(session, body.Phone)
      const key = await keyOf({ session, viewer }, { chat, id, isFromMe, author })
      const text = body.Body === 'remove' ? '' : body.Body
      const request = { session, viewer, header, traceparent, body: requestOf(body) }
      return sender.send('/message/react', request, () => ({ react: { text, key } }), {
        chat,
        answer: (sent) => ({ ...sent, Id: id }),
      })
    },
  }),
  r.post('/message/presence', {
    ignoresUnknown: true,
    leaves: ['recipient'],
    isIdempotent: true,
    summary: 'Show or end typing or recording',
    description: '`State` is composing or paused; with `Media` audio it shows recording.',
    example: { Phone: '5511999999999', State: 'composing' },
    body: T.Object({
      Phone,
      State: T.Enum(['composing', 'paused', 'recording']),
      Media: T.Optional(
        T.Enum(['', 'text', 'audio'], {
          description: '`audio` with composing: recording',
        }),
      ),
    }),
    response: Done,
    async handle({ body, session }, { targets }) {
      const chat = await targets.resolveChat(session, body.Phone)
      if (!/@(s\.whatsapp\.net|lid|g\.us)$/.test(chat))
        throw gatewayError('PHONE_INVALID', [`${body.Phone} has no typing state`])
      const isVoice = body.State === 'composing' && body.Media === 'audio'
      await session.socket.sendPresence(isVoice ? 'recording' : body.State, chat)
      return { Details: 'Chat presence set successfully' }
    },
  }),
  r.post('/message/markread', {
    ignoresUnknown: true,
    leaves: ['recipient'],
    isIdempotent: true,
    summary: 'Mark messages as read',
    description: 'The sender sees it unless read receipts are off. In a group `Sender` is required.',
    example: { Id: ['3A1B2C3D4E5F60718293'], Chat: '5511999999999' },
    body: T.Object({
      ...messagesOf(1000),
      Sender: T.Optional(
        T.String({
          format: 'phone',
          names: 'author',
          aliases: ['SenderPhone'],
          description: 'Author of the messages, if they are not stored here',
        }),
      ),
    }),
    response: T.Object({
      Details: T.String(),
      Skipped: T.Optional(
        T.Array(T.Object({ Id: T.String(), Reason: T.String() }), {
          description: 'Messages that were not marked: own ones, and those not stored here; absent if none',
        }),
      ),
    }),
    async handle({ body, session, viewer }, { markRead, targets }) {
      const chat = await targets.resolveChat(session, body.Chat, 'Chat')
      const author = body.Sender && (await targets.resolveUser(session, body.Sender, 'Sender'))
      const { skipped } = await markRead({ session, viewer }, { chat, ids: body.Id, author })
      return {
        Details: 'Message(s) marked as read',
        ...(skipped.length > 0 ? { Skipped: [...skipped] } : {}),
      }
    },
  }),
  r.post('/message/markplayed', {
    leaves: ['recipient'],
    isIdempotent: true,
    summary: 'Mark voice notes as played',
    description:
      'Also video notes. The sender sees the blue microphone, unless read receipts are off and it is not a group. All are marked or none.',
    example: { Id: ['3A1B2C3D4E5F60718296'], Chat: '5511999999999' },
    body: T.Object(messagesOf(100)),
    response: Done,
    async handle({ body, session, viewer }, { targets }) {
      const chat = await targets.resolveChat(session, body.Chat, 'Chat')
      await markPlayed({ session, viewer }, chat, body.Id)
      return { Details: 'Message(s) marked as played' }
    },
  }),
  r.post('/message/status', {
    ignoresUnknown: true,
    summary: 'Read the delivery state of a message',
    example: { Id: '3EB0F4A1C2D3E4F5A6B7C8' },
    scope: 'read',
    isFiltered: true,
    description: 'In a group, the furthest state of any recipient. Available for recent messages.',
    body: T.Object({ Id: Target }),
    response: T.Object({
      Id: T.String(),
      Status: T.String({ description: 'Pending, Sent, Delivered, Read, Played or Error' }),
      Timestamp: T.String({ description: 'Time of that state, RFC 3339' }),
      Chat: T.String(),
      IsFromMe: T.Boolean(),
    }),
    async handle({ body: { Id }, session, viewer }, { states }) {
      const reached = await states.find(session.id, Id, viewer)
      if (reached) {
        const { state, time, chat, fromMe } = reached
        return { Id, Status: state, Timestamp: time, Chat: chat, IsFromMe: fromMe }
      }
      const outcome = await session.socket.outcome(Id, viewer)
      if (!outcome) throw gatewayError('MESSAGE_UNKNOWN')
      return { Id, Status: outcome.status, Timestamp: outcome.time, Chat: outcome.chat, IsFromMe: true }
    },
  }),
  r.post('/message/edit', {
    ignoresUnknown: true,
    isDestructive: true,
    summary: 'Edit the text or caption of an own message',
    example: { Phone: '5511999999999', Id: '3EB0F4A1C2D3E4F5A6B7C8', Body: 'Hello, corrected' },
    description:
      'Of a picture, video or document it edits the caption. Also edits a post of a newsletter that you administer. Other messages can be edited for 20 minutes: 400 after that, since apps ignore later edits.',
    body: T.Object({
      Phone: Recipient,
      Id: Target,
      Body: T.String({
        minLength: 1,
        maxLength: LENGTHS.text,
        aliases: ['Text', 'Message'],
        description: 'The new text',
      }),
    }),
    response: Sent,
    async handle({ body, session, viewer, header, traceparent }, { sender, targets }) {
      const chat = await targets.resolveChat(session, body.Phone)
      const ref = { chat, id: body.Id }
      const key = await editableKeyOf({ session, viewer }, ref)
      const request = { session, viewer, header, traceparent, body: requestOf(body) }
      const message = await session.socket.message(ref, viewer)
      if (message && !Jid.isNewsletter(chat)) requireRecent(session, message)
      const content = captionEditOf(message, key, body.Body) ?? {
        text: body.Body,
        edit: key,
        linkPreview: null,
      }
      return sender.send('/message/edit', request, () => content, {
        chat,
        answer: (sent) => ({ ...sent, Id: body.Id }),
      })
    },
  }),
  r.post('/message/delete', {
    ignoresUnknown: true,
    leaves: ['recipient'],
    isDestructive: true,
    summary: 'Delete a message for everyone',
    example: { Phone: '5511999999999', Id: '3EB0F4A1C2D3E4F5A6B7C8' },
    description:
      "An own message; in a group that you administer also another member's, in a newsletter any post. 404 if it is not stored here.",
    body: T.Object({
      Phone,
      Id: Target,
      Participant: Author(
        "Author of the message, to delete another member's as group admin, or one that is not stored here",
      ),
    }),
    response: T.Object({ Details: T.String(), Id: T.String(), Timestamp: T.String() }),
    async handle({ body, session, viewer, header, traceparent }, { sender, targets }) {
      const chat = await targets.resolveChat(session, body.Phone)
      const author = body.Participant && (await targets.resolveUser(session, body.Participant, 'Participant'))
      const key = await ownKeyOf({ session, viewer }, { chat, id: body.Id, author })
      const request = { session, viewer, header, traceparent, body: requestOf(body) }
      return sender.send('/message/delete', request, () => ({ delete: key }), {
        chat,
        answer: ({ Timestamp }) => ({ Details: 'Deleted', Id: body.Id, Timestamp }),
      })
    },
  }),
]
