import type { GatewayServices } from 'wamux/plugin'
import { parseJid } from '../stanza.ts'
import type { Proto } from './compose.ts'
import type { Stored } from './messages.ts'

type Wire = GatewayServices['wire']

/** What a companion asks for that got no content of a message: the phone hands its own copies on. */
export function resent(
  wire: Wire,
  request: Stored['raw'],
  stanzaId: string,
  stored: readonly Stored[],
): Record<string, unknown> | undefined {
  const asked = request.protocolMessage?.peerDataOperationRequestMessage
  const ids = asked?.placeholderMessageResendRequest?.map(({ messageKey }) => messageKey?.id)
  if (!asked || !ids) return undefined
  const found = stored.filter(({ id }) => ids.includes(id))
  const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE } = wire.proto.Message.ProtocolMessage.Type
  return {
    protocolMessage: {
      type: PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
      peerDataOperationRequestResponseMessage: {
        peerDataOperationRequestType: asked.peerDataOperationRequestType,
        stanzaId,
        peerDataOperationResult: found.map((message) => ({
          placeholderMessageResendResponse: { webMessageInfoBytes: infoOf(wire, message) },
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
