import type { WAMessageKey } from '@whiskeysockets/baileys'
import { gatewayError, type LiveSession } from 'wamux/plugin'

interface Meant {
  chat: string
  id: string
  /** Who wrote it, as the caller says. */
  author?: string | undefined
}

interface Sought extends Pick<Meant, 'author'> {
  id: string | undefined
  chat: string | undefined
  isFromMe: boolean
}

/** The key of a message of anybody, as others know it. */
export async function keyOf(
  session: LiveSession,
  { chat, id, isFromMe, author }: Meant & { isFromMe: boolean },
): Promise<WAMessageKey> {
  if (isFromMe) return { remoteJid: chat, id, fromMe: true }
  if (!chat.endsWith('@g.us')) return { remoteJid: chat, id, fromMe: false }
  const participant = author ?? (await session.socket.stored(chat, id))?.key.participant
  if (!participant) throw gatewayError('FIELD_MISSING', ['Participant'])
  return { remoteJid: chat, id, fromMe: false, participant }
}

/** The key of a message whose file is wanted, as far as it is known. */
export async function messageOf(
  session: LiveSession,
  { id, chat = '', ...rest }: Sought,
): Promise<WAMessageKey | undefined> {
  if (!id) return undefined
  const stored = await session.socket.stored(chat, id)
  if (stored) return stored.key
  return chat === '' ? undefined : keyOf(session, { chat, id, ...rest })
}

/** The key of a message to take back or change: an own one, in a group another's, or a post of a newsletter. */
export async function ownKeyOf(session: LiveSession, meant: Meant): Promise<WAMessageKey> {
  const { chat, id, author } = meant
  // A post is written by its newsletter, and only the network knows who may change that.
  if (chat.endsWith('@newsletter')) {
    // Its id becomes that of the stanza, where an @ would make a JID of it.
    if (id.includes('@')) throw gatewayError('FIELD_INVALID', ['Id', 'may not contain an @'])
    return { remoteJid: chat, id, fromMe: true }
  }
  const stored = author ? undefined : await session.socket.stored(chat, id)
  // The network accepts the deletion of a message that does not exist, and delivers it to the chat.
  if (!author && !stored) throw gatewayError('MESSAGE_UNKNOWN')
  const isFromMe = author ? author === session.jid || author === session.lid : stored?.key.fromMe === true
  if (!isFromMe && !chat.endsWith('@g.us'))
    throw gatewayError('FIELD_INVALID', ['Id', 'it is no message of your own'])
  return keyOf(session, { ...meant, isFromMe, author: author ?? stored?.key.participant ?? undefined })
}

/** The key of a message to give a new text. */
export async function editableKeyOf(session: LiveSession, meant: Meant): Promise<WAMessageKey> {
  const key = await ownKeyOf(session, meant)
  if (!key.fromMe) throw gatewayError('FIELD_INVALID', ['Id', 'only own messages can be edited'])
  return key
}
