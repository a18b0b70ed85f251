import { gatewayError } from 'wamux/plugin'
import { parseJid, seconds } from '../../stanza.ts'
import { type Action, type ActionParts, requireField } from './action.ts'
import { keyOf, targetOf } from './target.ts'

/** Sets the disappearing timer of a 1:1 chat to `Data.Seconds`; `Data.Timeless` omits the time, as faulty clients do. */
export async function setTimer(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const chat = parts.chatOf(requireField(action, 'Chat'))
  if (parseJid(chat)?.server === 'g.us')
    throw gatewayError('FIELD_INVALID', ['Chat', 'is a group: use the action ephemeral'])
  const { proto } = parts.wire
  const protocolMessage = {
    type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING,
    ephemeralExpiration: Number(action.Data?.['Seconds'] ?? 0),
    ...(action.Data?.['Timeless'] ? {} : { ephemeralSettingTimestamp: seconds() }),
    disappearingMode: { initiator: 0, trigger: 0 },
  }
  return { Id: await parts.sendMessage(chat, proto.Message.fromObject({ protocolMessage })) }
}

/** Keeps a disappearing message for all, or stops keeping it with `Data.On` false. */
export async function keep(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const { KEEP_FOR_ALL, UNDO_KEEP_FOR_ALL } = parts.wire.proto.KeepType
  const keepInChatMessage = {
    key: keyOf(target),
    keepType: action.Data?.['On'] === false ? UNDO_KEEP_FOR_ALL : KEEP_FOR_ALL,
    timestampMs: Date.now(),
  }
  return {
    Id: await parts.sendMessage(target.chat, parts.wire.proto.Message.fromObject({ keepInChatMessage })),
  }
}

/** Pins a message for all, for `Data.Seconds`, a week if absent; with `Data.On` false it is unpinned. */
export async function pinMessage(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = parts.wire.proto.Message.PinInChatMessage.Type
  const isOn = action.Data?.['On'] !== false
  const message = parts.wire.proto.Message.fromObject({
    pinInChatMessage: {
      key: keyOf(target),
      type: isOn ? PIN_FOR_ALL : UNPIN_FOR_ALL,
      senderTimestampMs: Date.now(),
    },
    messageContextInfo: {
      messageAddOnDurationInSecs: isOn ? Number(action.Data?.['Seconds'] ?? 7 * 86_400) : 0,
    },
  })
  return { Id: await parts.sendMessage(target.chat, message, { edit: '2' }) }
}
