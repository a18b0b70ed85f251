import type { ResendLimit } from './resend-limit.ts'

export interface WaitingRequests {
  /** Answers a request of a chat when it has a turn, in order. */
  admit(chat: string, answer: () => void): void
}

/** More than these are left to the next link: the network delivers again what was not acknowledged. */
const MAX_WAITING = 2_000

/** Keeps requests to send messages again until their chats have a turn; with the end of the link they are dropped. */
export function createWaitingRequests(limit: ResendLimit, isOpen: () => boolean): WaitingRequests {
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
      if (count >= MAX_WAITING) return
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
