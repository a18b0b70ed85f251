import type { BinaryNode, WAMessageKey } from '@whiskeysockets/baileys'
import { type GatewayError, gatewayError, type LiveSession } from 'wamux/plugin'

export interface Reading {
  readonly read: readonly string[]
  readonly skipped: readonly Skipped[]
}

interface Skipped {
  Id: string
  Reason: string
}

const OWN = 'a message of your own'
const UNKNOWN = 'not stored here; name its Sender'

/**
 * Sends read receipts for the messages of a list that can be marked. Baileys' readMessages is not used: it reads the
 * privacy settings by a query whose time-out is a TypeError (Socket/chats.js fetchPrivacySettings).
 *
 * @param author of the messages, where the caller names it; used for messages that are not stored here.
 */
export async function markRead(
  { socket }: LiveSession,
  chat: string,
  ids: readonly string[],
  author: string | undefined,
): Promise<Reading> {
  const keys: (WAMessageKey & { id: string })[] = []
  const skipped: Skipped[] = []
  for (const id of ids) {
    const stored = await socket.stored(chat, id)
    const participant = author ?? stored?.key.participant ?? undefined
    // The receipt uses the address of the message: phone number or LID.
    const remoteJid = stored?.key.remoteJid ?? chat
    if (stored?.key.fromMe) skipped.push({ Id: id, Reason: OWN })
    else if (!stored && !author) skipped.push({ Id: id, Reason: UNKNOWN })
    else keys.push({ remoteJid, id, ...(chat.endsWith('@g.us') && participant ? { participant } : {}) })
  }
  if (keys.length === 0) throw nothingToRead(chat, skipped)
  const asked = await socket.query(PRIVACY, 'read the privacy settings')
  await socket.wa.sendReceipts(keys, showsReading(asked) ? 'read' : 'read-self')
  return { read: keys.map(({ id }) => id), skipped }
}

function nothingToRead(chat: string, skipped: readonly Skipped[]): GatewayError {
  if (skipped.every(({ Reason }) => Reason === OWN))
    return gatewayError('FIELD_INVALID', ['Id', `${skipped[0]?.Id} is ${OWN}`])
  if (chat.endsWith('@g.us')) return gatewayError('FIELD_MISSING', ['Sender'])
  return gatewayError('MESSAGE_UNKNOWN', [], { details: UNKNOWN })
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
