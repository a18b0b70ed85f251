import { createCache } from '../cache.ts'

/** How often messages of one chat are encrypted again. */
export interface ResendLimit {
  /** Takes one turn of the chat. @returns 0, or the milliseconds until there is one; then none was taken. */
  take(chat: string): number
}

export interface Rate {
  /** Turns at once. */
  readonly burst: number
  readonly perMinute: number
  /** Milliseconds. */
  now(): number
}

interface Bucket {
  readonly turns: number
  readonly at: number
}

const MAX_CHATS = 5_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/**
 * WhatsApp locks accounts that resend too many messages to a chat, even on request: after a change of addresses, hundreds of
 * devices of a group may request them (whatsapp-rust issue 871). The rate is that of whatsapp-rust (src/resend_rate_limiter.rs), which leaves the rest
 * unanswered.
 */
export function createResendLimit(
  rate: Rate = { burst: 20, perMinute: 10, now: () => Date.now() },
): ResendLimit {
  const { burst, perMinute, now } = rate
  /** A chat that is not in it has all its turns, as it would by then. */
  const buckets = createCache<Bucket>(MAX_CHATS, HOUR_MS)
  return {
    take(chat) {
      const at = now()
      const last = buckets.get(chat) ?? { turns: burst, at }
      const turns = Math.min(burst, last.turns + ((at - last.at) * perMinute) / MINUTE_MS)
      if (turns < 1) return Math.ceil(((1 - turns) * MINUTE_MS) / perMinute)
      buckets.set(chat, { turns: turns - 1, at })
      return 0
    },
  }
}
