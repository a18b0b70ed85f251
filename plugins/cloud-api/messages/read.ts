import type { BinaryNode } from '@whiskeysockets/baileys'
import { gatewayError, type LiveSession } from 'wamux/plugin'

/** Marks a received message as read, and shows typing in its chat with `isTyping`. Rejects MESSAGE_UNKNOWN. */
export async function markRead({ socket }: LiveSession, id: string, isTyping: boolean): Promise<void> {
  // A received message is found by its id alone.
  const stored = await socket.stored('', id)
  const { remoteJid: chat, participant, fromMe } = stored?.key ?? {}
  if (!chat || fromMe) throw gatewayError('MESSAGE_UNKNOWN')
  const key = { remoteJid: chat, id, ...(chat.endsWith('@g.us') && participant ? { participant } : {}) }
  const settings = await socket.query(PRIVACY, 'read the privacy settings')
  await socket.wa.sendReceipts([key], showsReading(settings) ? 'read' : 'read-self')
  if (isTyping) await socket.sendPresence('composing', chat)
}

const PRIVACY: BinaryNode = {
  tag: 'iq',
  attrs: { xmlns: 'privacy', to: 's.whatsapp.net', type: 'get' },
  content: [{ tag: 'privacy', attrs: {} }],
}

/** An account with read receipts off sends them to its own devices only. */
function showsReading({ content }: BinaryNode): boolean {
  const settings = Array.isArray(content) ? content[0]?.content : undefined
  const categories = Array.isArray(settings) ? settings : []
  return categories.find(({ attrs }) => attrs['name'] === 'readreceipts')?.attrs['value'] === 'all'
}
