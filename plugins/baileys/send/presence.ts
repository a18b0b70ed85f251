import type { WAPresence, WASocket } from '@whiskeysockets/baileys'
import { queryOf } from '../protocol/query.ts'

const PING = { tag: 'ping', attrs: {} }

/**
 * Shows a presence, or in a chat what is being done there. The network confirms neither, and Baileys takes what is
 * written for sent, over a dead link too. The network answers in order, so an answer to a ping behind it says that
 * it was heard.
 */
export function presenceSenderOf(wa: WASocket) {
  return async (presence: WAPresence, chat?: string): Promise<void> => {
    const ping = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' }, content: [PING] }
    await wa.sendPresenceUpdate(presence, chat)
    await queryOf(wa)(ping, 'show the presence')
  }
}
