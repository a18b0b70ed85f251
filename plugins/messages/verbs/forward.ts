import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import { gatewayError } from 'wamux/plugin'
import { flagsOf } from '../translate/info.ts'

type Content = keyof proto.IMessage

/** What WhatsApp's apps offer to forward. Polls, events, orders, live locations and whatever belongs to another message are not. */
const FORWARDABLE = [
  ...(['extendedTextMessage', 'imageMessage', 'videoMessage', 'ptvMessage', 'audioMessage'] as const),
  ...(['documentMessage', 'stickerMessage', 'locationMessage', 'contactMessage'] as const),
  ...(['contactsArrayMessage', 'groupInviteMessage', 'productMessage'] as const),
] satisfies readonly Content[]

/** Files with a key, which everybody who has it can fetch from the media host. */
const FILES: readonly Content[] = [
  ...(['imageMessage', 'videoMessage', 'ptvMessage', 'audioMessage', 'documentMessage'] as const),
  'stickerMessage',
]

/** The apps show no higher number: from 5 on a message was "forwarded many times". */
const MAX_SCORE = 127

/**
 * The content of a message as it is forwarded: the same, with the key and the place of its file, but without what belongs to its
 * former chat, like quotes, mentions, the timer and its secret. Its score says how far it is from its author; a message that the
 * account has written itself begins without one.
 */
export function forwardOf({ key, message }: WAMessage, to: string): proto.IMessage {
  const { inner, flags } = flagsOf(message ?? {})
  if (flags.IsViewOnce) throw gatewayError('FIELD_INVALID', ['Id', 'can be viewed only once'])
  const { conversation, ...rest } = inner
  const whole: proto.IMessage = conversation ? { extendedTextMessage: { text: conversation } } : rest
  const kind = FORWARDABLE.find((one) => whole[one])
  const part = kind && whole[kind]
  if (!part) throw gatewayError('FIELD_INVALID', ['Id', 'is not a text, file, place, contact or invitation'])
  if (FILES.includes(kind)) assertFetchable(part, to)
  const forwarded = { [kind]: { ...part, contextInfo: scored(part.contextInfo, key.fromMe === true) } }
  return flags.IsDocumentWithCaption ? { documentWithCaptionMessage: { message: forwarded } } : forwarded
}

function scored(context: proto.IContextInfo | null | undefined, isOwn: boolean): proto.IContextInfo {
  const { isForwarded = false, forwardingScore } = context ?? {}
  if (isOwn && !isForwarded) return {}
  const score = Math.max(forwardingScore ?? 0, isForwarded ? 1 : 0) + 1
  return { isForwarded: true, forwardingScore: Math.min(score, MAX_SCORE) }
}

/** Files of newsletters are not encrypted and those of chats are, each on hosts of their own. */
function assertFetchable(part: object, to: string): void {
  const { mediaKey } = part as proto.Message.IImageMessage
  if (!mediaKey?.length)
    throw gatewayError('FIELD_INVALID', ['Id', 'is a file of a newsletter: send it anew'])
  if (Jid.isNewsletter(to))
    throw gatewayError('FIELD_INVALID', ['Phone', 'a file cannot be forwarded to a newsletter: send it anew'])
}
