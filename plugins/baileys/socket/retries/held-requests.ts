import type { ResendLimit } from './resend-limit.ts'

export interface HeldRequests {
  /** Answers a request of a chat when it has a turn, in order. */
  admit(chat: string, answer: () => void): void
}

/** More than these are left to the next link: the network delivers again what was not acknowledged. */
const MAX_HELD = 2_000

/** Holds requests to send messages again until their chats have a turn; with the end of the link they are dropped. */
export function createHeldRequests(limit: ResendLimit, isOpen: () => boolean): HeldRequests {
  const chats = new Map<string, (() => void)[]>()
  let count = 0

  function answerNext(chat: string): void {
    const waiting = chats.get(chat) ?? []
    while (isOpen()) {
      const [answer] = waiting
      if (!answer) break
      const ms = limit.take(chat)
      if (ms > 0) {
        setTimeout(answerNext, ms, chat).unref()
        return
      }
      waiting.shift()
      count -= 1
      answer()
    }
    count -= waiting.length
    chats.delete(chat)
  }

  return {
    admit(chat, answer) {
      if (count >= MAX_HELD) return
      count += 1
      const waiting = chats.get(chat)
      if (waiting) waiting.push(answer)
      else {
        chats.set(chat, [answer])
        answerNext(chat)
      }
    },
  }
}
