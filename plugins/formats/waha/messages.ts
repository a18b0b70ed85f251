import { Jid, unixSeconds } from 'wamux/messaging'
import type { GatewayEvents, GatewayServices } from 'wamux/plugin'
import { isHidden, type Message, type MessageBody, targetOf, vcardsOf } from '../content.ts'
import type { About, Named } from '../dialect.ts'
import { isOwn } from '../people.ts'
import { idOf, messageId, messageIdOf, ownId, targetIdOf } from './ids.ts'

type Attachments = Pick<GatewayServices['attachments'], 'link'>

const ACK = { error: -1, sent: 1, delivered: 2, read: 3, played: 4 } as const
const ACK_NAMES = {
  error: 'ERROR',
  sent: 'SERVER',
  delivered: 'DEVICE',
  read: 'READ',
  played: 'PLAYED',
} as const

/** A message, and what is a message on the network but an event of its own there. */
export function messagesOf(body: MessageBody, about: About, attachments: Attachments): Named[] {
  const { message } = body
  if (isHidden(message)) return []
  const special = SPECIAL[message.type]
  if (special) return special(body, about)
  const data = messageOf(body, about, attachments)
  return message.isFromMe
    ? [{ event: 'message.any', data }]
    : [
        { event: 'message', data },
        { event: 'message.any', data, isExtra: true },
      ]
}

/** Nothing waits visibly for what is hidden until it can be read. */
export function waitingOf(body: MessageBody, about: About): Named[] {
  if (body.event['DecryptFailMode'] === 'hide') return []
  return [{ event: 'message.waiting', data: headOf(body, about) }]
}

const SPECIAL: Partial<Record<Message['type'], (body: MessageBody, about: About) => Named[]>> = {
  reaction(body, about) {
    const { message } = body
    const { id, from, fromMe, to, participant } = headOf(body, about)
    const reaction = { text: message.reaction?.emoji ?? '', messageId: targetId(body, about) }
    // With a fraction there, too: it is the time of the reaction in milliseconds.
    const timestamp = Date.parse(message.time) / 1000
    return [{ event: 'message.reaction', data: { id, from, fromMe, participant, to, timestamp, reaction } }]
  },
  edit(body, about) {
    const editedMessageId = body.message.targetId ?? ''
    return [
      { event: 'message.edited', data: { ...headOf(body, about), body: body.message.text, editedMessageId } },
    ]
  },
  revoke(body, about) {
    const revokedMessageId = body.message.targetId ?? ''
    return [
      { event: 'message.revoked', data: { after: headOf(body, about), before: null, revokedMessageId } },
    ]
  },
  vote(body, { session, jid }) {
    const { message } = body
    const { vote, isFromMe, chat, from, time } = message
    const target = targetOf(body, session)
    const own = ownId(session, jid)
    const other = idOf(chat)
    const sides = (isByMe: boolean, author: string): Record<string, unknown> => ({
      to: isByMe || chat.isGroup ? other : 'me',
      from: isByMe ? 'me' : author,
      fromMe: isByMe,
    })
    return [
      {
        event: 'poll.vote',
        data: {
          vote: {
            id: messageIdOf(message),
            ...sides(isFromMe, idOf(from)),
            selectedOptions: vote?.options ?? [],
            timestamp: unixSeconds(time),
          },
          poll: { id: targetIdOf(message, target, own), ...sides(target.isFromMe, other) },
        },
      },
    ]
  },
}

function targetId(body: MessageBody, { session, jid }: About): string {
  return targetIdOf(body.message, targetOf(body, session), ownId(session, jid))
}

/** The fields that every message has. */
function headOf(body: MessageBody, { session, jid }: About) {
  const { message, event } = body
  const { chat, isFromMe, time, isFromGateway, from } = message
  const own = ownId(session, jid)
  const ack = isFromMe ? ('sent' as const) : ('delivered' as const)
  return {
    id: messageIdOf(message),
    timestamp: unixSeconds(time),
    from: isFromMe ? own : idOf(chat),
    fromMe: isFromMe,
    source: isFromGateway ? 'api' : 'app',
    to: isFromMe ? idOf(chat) : own,
    participant: chat.isGroup ? idOf(from) : null,
    body: null as string | null,
    hasMedia: false,
    media: null as object | null,
    mediaUrl: null as string | null,
    ack: ACK[ack],
    ackName: ACK_NAMES[ack],
    vCards: [] as string[],
    replyTo: null as object | null,
    _data: event,
  }
}

function messageOf(body: MessageBody, about: About, attachments: Attachments): Record<string, unknown> {
  const { message } = body
  const { location, chat, from } = message
  return {
    ...headOf(body, about),
    body: message.text,
    ...(message.media ? mediaOf(message, attachments.link(about.line)) : {}),
    vCards: vcardsOf(body),
    replyTo: replyTo(message, about),
    ...(chat.isGroup ? { author: idOf(from) } : {}),
    ...(location
      ? {
          location: {
            description: [location.name, location.address].filter(Boolean).join('\n'),
            latitude: String(location.latitude),
            longitude: String(location.longitude),
          },
        }
      : {}),
  }
}

/** The file is behind a link, as there; only documents have a name. */
function mediaOf({ type, media }: Message, { mediaUrl = '' }: Record<string, string>): object {
  const isReachable = /^https?:/.test(mediaUrl)
  const url = isReachable ? mediaUrl : null
  const filename = type === 'document' ? (media?.fileName ?? '') : null
  const error = isReachable
    ? null
    : { details: 'the gateway has no public address: WAMUX_MESSAGES_PUBLIC_URL' }
  return { hasMedia: true, media: { url, mimetype: media?.mimeType ?? '', filename, error }, mediaUrl: url }
}

function replyTo({ quoted, chat }: Message, { session }: About): object | null {
  if (!quoted) return null
  const { id, from, text, type } = quoted
  const author = idOf(from)
  const participant = chat.isGroup ? author : ''
  const isFromMe = isOwn(from.jid, session)
  return {
    id: messageId({ isFromMe, id, chat: idOf(chat), participant }),
    participant: author,
    body: text,
    hasMedia: FILES.has(type),
  }
}

/** Kinds with a file. */
const FILES: ReadonlySet<Message['type']> = new Set([
  ...(['image', 'video', 'videoNote', 'audio', 'voice', 'document', 'sticker'] as const),
])

/** A receipt names several messages; there is an event for each. */
export function acksOf({ receipt, event }: GatewayEvents['ReadReceipt'], { session, jid }: About): Named[] {
  const { ids, status, chat, from, isFromMe } = receipt
  const chatId = idOf(chat)
  const own = ownId(session, jid)
  const reader = idOf(from)
  // The id ends with the message's author: this account, unless it has read a message of another.
  const isOwnMessage = !isFromMe
  const author = chat.isGroup && isOwnMessage ? own : ''
  return ids.map((id) => ({
    event: chat.isGroup ? 'message.ack.group' : 'message.ack',
    data: {
      id: messageId({ isFromMe: isOwnMessage, chat: chatId, id, participant: author }),
      from: chatId,
      to: isOwnMessage ? chatId : own,
      participant: chat.isGroup ? reader : null,
      fromMe: isOwnMessage,
      ack: ACK[status],
      ackName: ACK_NAMES[status],
      _data: event,
    },
  }))
}

export function failedOf({ event }: GatewayEvents['SendFailed'], { session, jid }: About): Named[] {
  // With an unknown outcome WhatsApp may have the message.
  if (event['Outcome'] === 'unknown') return []
  const chatJid = String(event['Chat'])
  const chat = idOf({ jid: chatJid, phone: '' })
  const own = ownId(session, jid)
  const isGroup = Jid.isGroup(chatJid)
  const id = messageId({ isFromMe: true, chat, id: String(event['Id']), participant: isGroup ? own : '' })
  const participant = isGroup ? own : null
  const ack = { ack: ACK.error, ackName: ACK_NAMES.error }
  return [
    {
      event: 'message.ack',
      data: { id, from: chat, to: chat, participant, fromMe: true, ...ack, _data: event },
    },
  ]
}
