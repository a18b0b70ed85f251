import type { WASocket } from '@whiskeysockets/baileys'
import type { Socket } from 'wamux/plugin'
import { proto } from '../baileys.ts'
import { messageId } from '../protocol/message-id.ts'
import type { SendToPhone } from './peer-message.ts'

const { PEER_DATA_OPERATION_REQUEST_MESSAGE } = proto.Message.ProtocolMessage.Type
const { HISTORY_SYNC_ON_DEMAND } = proto.Message.PeerDataOperationRequestType

/**
 * Requests older messages of a chat from the account's phone, which answers with a part of the history. Replaces Baileys'
 * fetchMessageHistory (Socket/messages-recv.js), which does not wait for the ack.
 */
export function historyRequestOf(
  wa: Pick<WASocket, 'user'>,
  sendToPhone: SendToPhone,
): Socket['requestHistory'] {
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
    await sendToPhone(id, { type, peerDataOperationRequestMessage }, 'request the history')
    return id
  }
}
