import type { WAMessageKey } from '@whiskeysockets/baileys'
import { gatewayError, type LiveSession } from 'wamux/plugin'

interface MessageRef {
  chat: string
  id: string
  /** The author, as named by the caller. */
  author?: string | undefined
}

interface Lookup extends Pick<MessageRef, 'author'> {
  id: string | undefined
  chat: string | undefined
  isFromMe: boolean
}

/** The key of any message, as other devices know it. */
export async function keyOf(
  session: LiveSession,
  { chat, id, isFromMe, author }: MessageRef & { isFromMe: boolean },
): Promise<WAMessageKey> {
  if (isFromMe) return { remoteJid: chat, id, fromMe: true }
  if (!chat.endsWith('@g.us')) return { remoteJid: chat, id, fromMe: false }
  const participant = author ?? (await session.socket.stored(chat, id))?.key.participant
  if (!participant) throw gatewayError('FIELD_MISSING', ['Participant'])
  return { remoteJid: chat, id, fromMe: false, participant }
}

/** The key of a message whose file is requested, as far as it is known. */
export async function messageOf(
  session: LiveSession,
  { id, chat = '', ...rest }: Lookup,
): Promise<WAMessageKey | undefined> {
  if (!id) return undefined
  const stored = await session.socket.stored(chat, id)
  if (stored) return stored.key
  return chat === '' ? undefined : keyOf(session, { chat, id, ...rest })
}

/** The key of a message to delete or edit: an own one, in a group another member's, or a newsletter post. */
export async function ownKeyOf(session: LiveSession, ref: MessageRef): Promise<WAMessageKey> {
  const { chat, id, author } = ref
  // The author of a post is its newsletter, and only the network knows who may change it.
  if (chat.endsWith('@newsletter')) {
    // Its id becomes the stanza id, which the encoder would take for a JID if it had an @.
    if (id.includes('@')) throw gatewayError('FIELD_INVALID', ['Id', 'may not contain an @'])
    return { remoteJid: chat, id, fromMe: true }
  }
  const stored = author ? undefined : await session.socket.stored(chat, id)
  // The network accepts the deletion of a message that does not exist, and delivers it to the chat.
  if (!author && !stored) throw gatewayError('MESSAGE_UNKNOWN')
  const isFromMe = author ? author === session.jid || author === session.lid : stored?.key.fromMe === true
  if (!isFromMe && !chat.endsWith('@g.us'))
    throw gatewayError('FIELD_INVALID', ['Id', 'is not your own message'])
  return keyOf(session, { ...ref, isFromMe, author: author ?? stored?.key.participant ?? undefined })
}

/** The key of a message whose text is to be edited. */
export async function editableKeyOf(session: LiveSession, ref: MessageRef): Promise<WAMessageKey> {
  const key = await ownKeyOf(session, ref)
  if (!key.fromMe) throw gatewayError('FIELD_INVALID', ['Id', 'only own messages can be edited'])
  return key
}
