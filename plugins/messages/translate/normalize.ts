import type { proto } from '@whiskeysockets/baileys'
import type { GatewaySignals, Session } from 'wamux/plugin'
import { endingOf } from '../media/mime.ts'
import type { ContentKind, MessagePerson, NormalMessage, NormalReceipt } from '../normal-message.ts'
import { adOf } from './ad.ts'
import { type Described, describe } from './content.ts'
import type { Flags, Info } from './info.ts'
import { addPhones, chatOf, personBeside, personOf } from './people.ts'

type Account = Pick<Session, 'jid' | 'lid'> & Partial<Pick<Session, 'socket'>>

export interface NormalizeParts {
  session: Account
  info: Info
  /** The content without its wrappers, and their kinds. */
  inner: proto.IMessage
  flags: Flags
  sealed?: GatewaySignals['message']['sealed']
  business?: GatewaySignals['message']['business']
  /** Sent through this gateway. */
  isFromGateway?: boolean
  /** Its sender may not change what it would change. */
  refused?: boolean
}

/**
 * A message in plain fields. The other form of each JID is taken from the message; the link's mapping is used only for
 * people quoted or mentioned by LID.
 */
export async function normalize({
  session,
  info,
  inner,
  flags,
  sealed,
  business,
  isFromGateway,
  refused,
}: NormalizeParts): Promise<NormalMessage> {
  if (refused) return { ...blank(session, info, 'other'), refused }
  const described = describe(inner)
  const { type, text, context, media, targetId } = described
  const normal = blank(session, info, type)
  if (text) normal.text = text
  if (isFromGateway) normal.isFromGateway = true
  normal.isForwarded = context?.isForwarded === true
  normal.isEdited = flags.IsEdit || type === 'edit'
  normal.isViewOnce = flags.IsViewOnce
  normal.isEphemeral = flags.IsEphemeral
  if (context?.mentionedJid) normal.mentions = context.mentionedJid.map((jid) => personBeside(session, jid))
  for (const part of PARTS) if (described[part]) Object.assign(normal, { [part]: described[part] })
  if (media) normal.media = mediaOf(info.ID, media)
  if (targetId) normal.targetId = targetId
  if (sealed?.vote) normal.vote = { question: sealed.vote.question, options: sealed.vote.options }
  if (sealed?.answer)
    normal.eventResponse = { response: sealed.answer.response, guests: sealed.answer.guests }
  const ad = context && adOf(context)
  if (ad) normal.ad = ad
  if (business) normal.businessOrigin = business
  const quoted = context?.quotedMessage && quotedOf(session, context, info)
  if (quoted) normal.quoted = quoted
  const others: MessagePerson[] = quoted ? [quoted.from, ...normal.mentions] : normal.mentions
  if (others.some(({ phone, lid }) => lid && !phone)) await addPhones(session.socket, others)
  return normal
}

/** Fields that only some contents have. */
const PARTS = ['reaction', 'poll', 'selection', 'location', 'contacts'] as const

/** A message of unknown content. */
export const normalizeUndecryptable = (session: Account, info: Info, edits?: string): NormalMessage => ({
  ...blank(session, info, 'undecryptable'),
  ...(edits === undefined ? {} : { targetId: edits, isEdited: true }),
})

const STATUSES = {
  delivered: 'delivered',
  read: 'read',
  'read-self': 'read',
  played: 'played',
  'played-self': 'played',
} as const

export function normalizeReceipt(
  session: Account,
  { chat, sender, senderAlt, ids, type, fromMe, time }: GatewaySignals['receipt'],
): NormalReceipt {
  const from = fromMe ? personBeside(session, sender) : personOf(sender, senderAlt)
  return {
    ids,
    status: STATUSES[type],
    from,
    chat: chatOf(chat, chat === sender ? senderAlt : ''),
    isFromMe: fromMe,
    time,
  }
}

/** Everything except the content. A single literal, because this runs for every message. */
function blank(session: Account, info: Info, type: ContentKind): NormalMessage {
  const { IsFromMe: isFromMe } = info
  const chat = chatOf(info.Chat, isFromMe ? info.RecipientAlt : info.SenderAlt)
  const own = personOf(session.jid, session.lid)
  const { jid, phone, lid } = isFromMe ? own : personOf(info.Sender, info.SenderAlt)
  const normal: NormalMessage = {
    id: info.ID,
    type,
    text: '',
    from: { jid, phone, lid, name: info.PushName, username: info.SenderUsername ?? '' },
    chat,
    time: info.Timestamp,
    isFromMe,
    isForwarded: false,
    isEdited: false,
    isViewOnce: false,
    isEphemeral: false,
    mentions: [],
  }
  if (chat.type !== 'person') return normal
  const to = isFromMe ? chat : own
  normal.to = { jid: to.jid, phone: to.phone, lid: to.lid, username: info.RecipientUsername ?? '' }
  return normal
}

function mediaOf(id: string, media: NonNullable<Described['media']>): NonNullable<NormalMessage['media']> {
  const { mimetype, fileName, fileLength, seconds, width, height } = media
  const mimeType = mimetype || 'application/octet-stream'
  return {
    mimeType,
    fileName: fileName || `${id}${endingOf(mimeType)}`,
    size: Number(fileLength ?? 0),
    ...(seconds ? { seconds } : {}),
    ...(width ? { width } : {}),
    ...(height ? { height } : {}),
  }
}

/** The author is named in groups; in a chat with one person it may be missing, and is then the other side. */
function quotedOf(
  session: Account,
  { stanzaId, participant, quotedMessage }: proto.IContextInfo,
  { Chat }: Info,
): NonNullable<NormalMessage['quoted']> {
  const { type, text } = describe(quotedMessage ?? {})
  return {
    id: stanzaId ?? '',
    type,
    text: text ?? '',
    from: personBeside(session, participant || Chat),
  }
}
