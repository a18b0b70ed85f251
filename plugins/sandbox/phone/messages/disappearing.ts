import type { OwnDevice } from '../device/own-device.ts'
import { unwrap } from '../display/content.ts'
import type { Proto } from './compose.ts'
import type { PhoneMessages } from './store.ts'

/** Erases messages when their time is up, unless somebody keeps them. */
export interface Disappearing {
  /** Called with each message; applies one that keeps another message or stops keeping it. */
  take(message: { raw: Proto; expires?: number }): void
  erase(): void
}

export function createDisappearing(
  { wire, network, account, slot }: OwnDevice,
  messages: PhoneMessages,
): Disappearing {
  const kept = slot('kept messages', () => new Set<string>())
  /** When the next message disappears. Most phones of a load test have none, and skip the scan. */
  let next = 0
  const { KEEP_FOR_ALL, UNDO_KEEP_FOR_ALL } = wire.proto.KeepType

  return {
    take({ raw, expires = Number.POSITIVE_INFINITY }) {
      next = Math.min(next, expires)
      const { key, keepType } = unwrap(raw).keepInChatMessage ?? {}
      if (!key?.id) return
      if (keepType === KEEP_FOR_ALL) kept.add(key.id)
      if (keepType !== UNDO_KEEP_FOR_ALL) return
      kept.delete(key.id)
      next = 0
    },
    erase() {
      const now = network.now()
      if (now < next) return
      next = Number.POSITIVE_INFINITY
      const erased = messages.erase(({ id, expires = Number.POSITIVE_INFINITY }) => {
        if (kept.has(id)) return false
        if (expires > now) next = Math.min(next, expires)
        return expires <= now
      })
      if (erased.length > 0) network.feed.publish('phone', account.phone)
    },
  }
}
