import type { BinaryNode, WAMessageKey } from '@whiskeysockets/baileys'
import { gatewayError, type LiveSession } from 'wamux/plugin'

/**
 * Sends read receipts. Not Baileys' readMessages: that one asks for the privacy settings by a query whose
 * time-out is a TypeError (Socket/chats.js fetchPrivacySettings).
 *
 * @param author of the messages, where the caller says it.
 */
export async function markRead(
  { socket }: LiveSession,
  chat: string,
  ids: readonly string[],
  author: string | undefined,
): Promise<void> {
  const keys: WAMessageKey[] = []
  for (const id of ids) {
    const stored = await socket.stored(chat, id)
    if (stored?.key.fromMe) throw gatewayError('FIELD_INVALID', ['Id', `${id} is a message of your own`])
    const participant = author ?? stored?.key.participant ?? undefined
    if (chat.endsWith('@g.us') && !participant) throw gatewayError('FIELD_MISSING', ['Sender'])
    // The receipt goes where the message came from: by phone number or by LID.
    const remoteJid = stored?.key.remoteJid ?? chat
    keys.push({ remoteJid, id, ...(chat.endsWith('@g.us') && participant ? { participant } : {}) })
  }
  const asked = await socket.query(PRIVACY, 'read the privacy settings')
  await socket.wa.sendReceipts(keys, showsReading(asked) ? 'read' : 'read-self')
}

const PRIVACY: BinaryNode = {
  tag: 'iq',
  attrs: { xmlns: 'privacy', to: 's.whatsapp.net', type: 'get' },
  content: [{ tag: 'privacy', attrs: {} }],
}

/** Who hides reading tells only the own devices. */
function showsReading({ content }: BinaryNode): boolean {
  const settings = Array.isArray(content) ? content[0]?.content : undefined
  const categories = Array.isArray(settings) ? settings : []
  return categories.find(({ attrs }) => attrs['name'] === 'readreceipts')?.attrs['value'] === 'all'
}
