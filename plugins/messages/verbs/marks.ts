import type { proto, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { flagsOf } from '../translate/info.ts'

/** How long a message can stay pinned, as WhatsApp offers it, in seconds. */
export const PIN_DURATIONS = { '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const

export type PinDuration = keyof typeof PIN_DURATIONS

const [PIN_FOR_ALL, UNPIN_FOR_ALL] = [1, 2]
const [KEEP_FOR_ALL, UNDO_KEEP_FOR_ALL] = [1, 2]

/** Pins a message for all in the chat; without a duration it is unpinned. Apps drop a pin that has no duration. */
export function pinOf(key: WAMessageKey, duration: PinDuration | undefined, now: number): proto.IMessage {
  const type = duration ? PIN_FOR_ALL : UNPIN_FOR_ALL
  const messageAddOnDurationInSecs = duration ? PIN_DURATIONS[duration] : 0
  return {
    pinInChatMessage: { key, type, senderTimestampMs: now },
    messageContextInfo: { messageAddOnDurationInSecs },
  }
}

/** Keeps a message from disappearing for all in the chat, or lets it disappear after all. */
export function keepOf({ key, message }: WAMessage, isKept: boolean, now: number): proto.IMessage {
  if (!isDisappearing(message ?? {})) throw gatewayError('FIELD_INVALID', ['Id', 'does not disappear'])
  return {
    keepInChatMessage: {
      key,
      keepType: isKept ? KEEP_FOR_ALL : UNDO_KEEP_FOR_ALL,
      timestampMs: now,
    },
  }
}

function isDisappearing(message: proto.IMessage): boolean {
  const { inner } = flagsOf(message)
  return Object.values(inner).some(
    (part) => ((part as { contextInfo?: proto.IContextInfo } | null)?.contextInfo?.expiration ?? 0) > 0,
  )
}
