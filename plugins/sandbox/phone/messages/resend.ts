import type { GatewayServices } from 'wamux/plugin'
import { parseJid } from '../../stanza.ts'
import type { Proto } from './compose.ts'
import type { Stored } from './store.ts'

type Wire = GatewayServices['wire']

/** Answers a companion's placeholder resend request with the phone's copies of the messages. */
export function resendResponse(
  wire: Wire,
  message: Stored['raw'],
  stanzaId: string,
  stored: readonly Stored[],
): Record<string, unknown> | undefined {
  const request = message.protocolMessage?.peerDataOperationRequestMessage
  const ids = request?.placeholderMessageResendRequest?.map(({ messageKey }) => messageKey?.id)
  if (!request || !ids) return undefined
  const found = stored.filter(({ id }) => ids.includes(id))
  const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE } = wire.proto.Message.ProtocolMessage.Type
  return {
    protocolMessage: {
      type: PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
      peerDataOperationRequestResponseMessage: {
        peerDataOperationRequestType: request.peerDataOperationRequestType,
        stanzaId,
        peerDataOperationResult: found.map((one) => ({
          placeholderMessageResendResponse: { webMessageInfoBytes: infoOf(wire, one) },
        })),
      },
    },
  }
}

function infoOf(wire: Wire, { id, chat, from, fromMe, timestamp, attrs, raw }: Stored): Uint8Array {
  const isGroup = parseJid(chat)?.server === 'g.us'
  const key = { remoteJid: chat, id, fromMe, ...(isGroup ? { participant: from } : {}) }
  const info = { key, message: raw as Proto, messageTimestamp: timestamp, pushName: attrs['notify'] ?? '' }
  return wire.proto.WebMessageInfo.encode(wire.proto.WebMessageInfo.fromObject(info)).finish()
}
