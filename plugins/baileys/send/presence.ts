import type { BinaryNode, WAPresence, WASocket } from '@whiskeysockets/baileys'
import { iq, queryOf } from '../protocol/query.ts'
import { refusalOf } from '../protocol/refusal.ts'
import type { PrivacyTokens } from './tokens/privacy-tokens.ts'

const PING = { tag: 'ping', attrs: {} }
const VERB = 'show the presence'

/**
 * Sends a presence, or a chat state (typing, recording), and waits until the network has received it. The network confirms
 * neither, and Baileys resolves once the frame is written, even to a dead link. The network answers in order, so the reply
 * to a ping sent afterwards confirms it.
 */
export function presenceSenderOf(wa: WASocket) {
  return async (presence: WAPresence, chat?: string): Promise<void> => {
    const sent =
      chat === undefined ? wa.sendPresenceUpdate(presence) : wa.sendNode(chatStateOf(presence, chat))
    await sent.catch((error: unknown) => {
      throw refusalOf(error, VERB)
    })
    await queryOf(wa)(iq('w:p', 'get', PING), VERB)
  }
}

/**
 * Subscribes to the presence of a person, with the token that the person has given. Baileys would drop tokens older than four
 * weeks (Utils/tc-token-utils.js buildTcTokenFromJid).
 */
export function presenceSubscriberOf(wa: WASocket, given: PrivacyTokens['given']) {
  return async (jid: string): Promise<void> => {
    const token = (await given([jid], 'presence')).get(jid)
    const attrs = { to: jid, id: wa.generateMessageTag(), type: 'subscribe' }
    const proof = token ? { content: [{ tag: 'tctoken', attrs: {}, content: token }] } : {}
    await wa.sendNode({ tag: 'presence', attrs, ...proof })
  }
}

/** Without `from`, which Baileys adds (Socket/chats.js sendPresenceUpdate): whatsmeow 1494ba73 has removed it. */
function chatStateOf(presence: WAPresence, to: string): BinaryNode {
  const state: BinaryNode =
    presence === 'recording' ? { tag: 'composing', attrs: { media: 'audio' } } : { tag: presence, attrs: {} }
  return { tag: 'chatstate', attrs: { to }, content: [state] }
}
