import type { GatewayServices } from 'wamux/plugin'
import { parseJid } from '../../stanza.ts'
import type { Proto } from './compose.ts'
import type { Stored } from './store.ts'

export interface ResendParts {
  wire: GatewayServices['wire']
  numberOf(jid: string): string
}

/**
 * Answers a companion's placeholder resend request with the phone's copies of the messages. It names people by number, and not
 * by what they call themselves: the companion has to know (whatsapp-rust src/pdo.rs).
 *
 * @param numberOf the phone JID of a person, as the account sees it.
 */
export function resendResponse(
  { wire, numberOf }: ResendParts,
  message: Stored['raw'],
  stanzaId: string,
  stored: readonly Stored[],
): Record<string, unknown> | undefined {
  const request = message.protocolMessage?.peerDataOperationRequestMessage
  const keys = request?.placeholderMessageResendRequest?.map(({ messageKey }) => messageKey)
  if (!request || !keys) return undefined
  const isOf = (jid: string, of: string | null | undefined): boolean => numberOf(jid) === numberOf(of ?? '')
  const found = stored.filter((one) =>
    keys.some((key) => {
      if (key?.id !== one.id || !isOf(one.chat, key.remoteJid)) return false
      return !key.participant || isOf(one.from, key.participant)
    }),
  )
  const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE } = wire.proto.Message.ProtocolMessage.Type
  return {
    protocolMessage: {
      type: PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
      peerDataOperationRequestResponseMessage: {
        peerDataOperationRequestType: request.peerDataOperationRequestType,
        stanzaId,
        peerDataOperationResult: found.map((one) => ({
          placeholderMessageResendResponse: { webMessageInfoBytes: infoOf({ wire, numberOf }, one) },
        })),
      },
    },
  }
}

function infoOf({ wire, numberOf }: ResendParts, one: Stored): Uint8Array {
  const { id, chat, from, fromMe, timestamp, raw } = one
  const isGroup = parseJid(chat)?.server === 'g.us'
  const author = isGroup ? { participant: numberOf(from) } : {}
  const key = { remoteJid: isGroup ? chat : numberOf(chat), id, fromMe, ...author }
  const info = { key, message: raw as Proto, messageTimestamp: timestamp }
  return wire.proto.WebMessageInfo.encode(wire.proto.WebMessageInfo.fromObject(info)).finish()
}
