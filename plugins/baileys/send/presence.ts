import type { WAPresence, WASocket } from '@whiskeysockets/baileys'
import { iq, queryOf } from '../protocol/query.ts'
import { refusalOf } from '../protocol/refusal.ts'

const PING = { tag: 'ping', attrs: {} }
const VERB = 'show the presence'

/**
 * Sends a presence, or the state of a chat (typing, recording), and waits until the network has received it. It confirms
 * neither, and Baileys resolves once the frame is written, even to a dead link. The network answers in order, so the reply
 * to a ping that follows confirms it.
 */
export function presenceSenderOf(wa: WASocket) {
  return async (presence: WAPresence, chat?: string): Promise<void> => {
    await wa.sendPresenceUpdate(presence, chat).catch((error: unknown) => {
      throw refusalOf(error, VERB)
    })
    await queryOf(wa)(iq('w:p', 'get', PING), VERB)
  }
}
