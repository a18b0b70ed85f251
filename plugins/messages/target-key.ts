import type { WAMessageKey } from '@whiskeysockets/baileys'
import { gatewayError, type LiveSession } from 'wamux/plugin'

interface Meant {
  chat: string
  id: string
  /** Who wrote it, as the caller says. */
  author?: string | undefined
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

/** The key of a message to take back or change: an own one, or in a group another's. */
export async function ownKeyOf(session: LiveSession, meant: Meant): Promise<WAMessageKey> {
  const { chat, id, author } = meant
  const stored = author ? undefined : await session.socket.stored(chat, id)
  const isFromMe = author ? author === session.jid || author === session.lid : stored?.key.fromMe !== false
  if (!isFromMe && !chat.endsWith('@g.us'))
    throw gatewayError('FIELD_INVALID', ['Id', 'it is no message of your own'])
  return keyOf(session, { ...meant, isFromMe, author: author ?? stored?.key.participant ?? undefined })
}
