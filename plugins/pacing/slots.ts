import { LRUCache } from 'lru-cache'
import type { Config } from './config.ts'

/** Maximum number of chats whose pauses are remembered per session. */
const MAX_CHATS = 10_000

/** The times at which one session may send. */
export interface Slots {
  /** Reserves the next time for a chat; returns the milliseconds until then. */
  reserve(chat: string): number
}

/** A token bucket, stored as the time at which it will be full again, plus a pause per chat. */
export function createSlots(
  { perSecond, burst, chatPauseMs, jitterMs }: Omit<Config, 'holdMs'>,
  now: () => number,
  random: () => number,
): Slots {
  const interval = 1000 / perSecond
  const pauses = new LRUCache<string, number>({ max: MAX_CHATS })
  let fullAt = 0
  return {
    reserve(chat) {
      const time = now()
      const start = Math.max(time, fullAt)
      const at = Math.max(time, start - (burst - 1) * interval, pauses.get(chat) ?? 0)
      fullAt = start + interval
      pauses.set(chat, at + chatPauseMs + random() * jitterMs)
      return at - time
    },
  }
}
