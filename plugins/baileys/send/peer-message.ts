import type { WASocket } from '@whiskeysockets/baileys'
import { jidNormalizedUser, type proto } from '../baileys.ts'
import { refusalOf, refusalOfAck } from '../protocol/refusal.ts'
import { createAcks } from './acks.ts'

/**
 * Sends a message to the account's phone that its user does not see; resolves when the network has accepted it. Rejects with an error
 * of the table that names the attempted `verb`.
 */
export type SendToPhone = (
  id: string,
  protocolMessage: proto.Message.IProtocolMessage,
  verb: string,
) => Promise<void>

export function sendToPhoneOf(wa: WASocket, ackTimeoutMs: number): SendToPhone {
  const acks = createAcks(wa, ackTimeoutMs)
  wa.ws.on('close', () => acks.cut())
  return async (id, protocolMessage, verb) => {
    const own = jidNormalizedUser(wa.user?.id)
    const ack = acks.expect(id, own)
    const message = { protocolMessage }
    await wa
      .relayMessage(own, message, {
        messageId: id,
        additionalAttributes: { category: 'peer', push_priority: 'high_force' },
        additionalNodes: [{ tag: 'meta', attrs: { appdata: 'default' } }],
      })
      .catch((error: unknown) => {
        ack.forget()
        throw refusalOf(error, verb)
      })
    const { error } = await ack.answer()
    if (error) throw refusalOfAck(error, { chat: own, message })
  }
}
