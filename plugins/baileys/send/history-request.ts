import type { WASocket } from '@whiskeysockets/baileys'
import type { Socket } from 'wamux/plugin'
import { jidNormalizedUser, proto } from '../baileys.ts'
import { messageId } from '../protocol/message-id.ts'
import { refusalOf, refusalOfAck } from '../protocol/refusal.ts'
import { createAcks } from './acks.ts'

const { PEER_DATA_OPERATION_REQUEST_MESSAGE } = proto.Message.ProtocolMessage.Type
const { HISTORY_SYNC_ON_DEMAND } = proto.Message.PeerDataOperationRequestType

/**
 * Requests older messages of a chat from the account's phone, which answers with a part of the history. Replaces Baileys'
 * fetchMessageHistory (Socket/messages-recv.js), which does not wait for the ack.
 */
export function historyRequestOf(wa: WASocket, ackTimeoutMs: number): Socket['requestHistory'] {
  const acks = createAcks(wa, ackTimeoutMs)
  wa.ws.on('close', () => acks.cut())
  return async ({ chat, id: oldest, fromMe, time, count }) => {
    const id = messageId(wa.user?.id)
    const peerDataOperationRequestMessage = {
      peerDataOperationRequestType: HISTORY_SYNC_ON_DEMAND,
      historySyncOnDemandRequest: {
        chatJid: chat,
        oldestMsgId: oldest,
        oldestMsgFromMe: fromMe,
        oldestMsgTimestampMs: time,
        onDemandMsgCount: count,
      },
    }
    const type = PEER_DATA_OPERATION_REQUEST_MESSAGE
    const own = jidNormalizedUser(wa.user?.id)
    const ack = acks.expect(id, own)
    const message = { protocolMessage: { type, peerDataOperationRequestMessage } }
    await wa
      .relayMessage(own, message, {
        messageId: id,
        additionalAttributes: { category: 'peer', push_priority: 'high_force' },
        additionalNodes: [{ tag: 'meta', attrs: { appdata: 'default' } }],
      })
      .catch((error: unknown) => {
        ack.forget()
        throw refusalOf(error, 'request the history')
      })
    const { error } = await ack.answer()
    if (error) throw refusalOfAck(error, { chat: own, message })
    return id
  }
}
