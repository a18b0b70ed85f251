import { type Action, type ActionParts, requireField } from './action.ts'

/**
 * Shares the keys of this account's settings with another account, as only the own phone may: clients ignore it. `Data.Wrapped`
 * sends it as the copy of a message that an own device has written.
 */
export async function shareKeys(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const chat = parts.chatOf(requireField(action, 'Chat'))
  const { Message } = parts.wire.proto
  const type = Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE
  const share = { protocolMessage: { type, appStateSyncKeyShare: parts.settings.keyShare() } }
  const isWrapped = action.Data?.['Wrapped'] === true
  const message = isWrapped ? { deviceSentMessage: { destinationJid: chat, message: share } } : share
  const { keys } = Message.AppStateSyncKeyShare.fromObject(parts.settings.keyShare())
  return {
    Id: await parts.sendMessage(chat, Message.fromObject(message)),
    Keys: keys.map(({ keyId }) => Buffer.from(keyId?.keyId ?? []).toString('base64')),
  }
}
