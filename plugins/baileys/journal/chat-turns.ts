import { setTimeout as pause } from 'node:timers/promises'
import { jidNormalizedUser } from '../baileys.ts'
import type { Received } from '../protocol/received.ts'
import type { InboxMessage } from '../store/inbox.ts'

/** Bytes of the messages of one chat that are read at once; a larger message is read alone. */
const AT_ONCE = 48 * 1024
/** What a message counts at least: twelve short ones are read at once, and share a commit. */
const LEAST = AT_ONCE / 12
/** Bytes of the messages of one chat that wait in memory; further large ones wait in the inbox. */
const KEPT = 256 * 1024
const MAX_REST_MS = 1_000
/** Waiting messages of one chat that count as in flight, with the twelve that are read: what is left of that bound is for others. */
const IN_FLIGHT = 4

interface Waiting {
  readonly hash: string
  readonly size: number
  /** Absent while it waits in the inbox alone. */
  readonly message: InboxMessage | undefined
  /** Called with the promise of its reading. */
  begun(read: Promise<void>): void
}

interface Chat {
  readonly waiting: Waiting[]
  /** Bytes that wait in memory, and that are being read. */
  kept: number
  busy: number
  isRunning: boolean
  /** Called when a message has been read. */
  freed(): void
}

/**
 * The turns of chats in reading: a chat that floods waits for itself, in order, and others pass it. After a large message a chat
 * rests for as long as that took, so that it never has more than half of the process.
 */
export interface ChatTurns {
  /** Resolves like `read`, or once the message is stored if it must wait in the inbox. */
  read(message: InboxMessage): Promise<void>
}

export interface ChatTurnsParts {
  keys: {
    /** A decrypted message, stored or on its way to the storage. */
    received(hash: string): Promise<Received | undefined>
    /** Resolves when what was queued before the call is committed. */
    settled(): Promise<void>
  }
  /** Must have taken the message into its own order when it returns. */
  read(message: InboxMessage): Promise<void>
  /** Counts work as in flight: while too much is, no message is decrypted. */
  track(work: Promise<void>): void
  /** A message that had waited in the inbox could not be read. */
  onFailure(error: unknown): void
}

export function createChatTurns({ keys, read, track, onFailure }: ChatTurnsParts): ChatTurns {
  const chats = new Map<string, Chat>()

  async function run(key: string, chat: Chat): Promise<void> {
    chat.isRunning = true
    for (let next = chat.waiting[0]; next; next = chat.waiting[0]) {
      while (chat.busy > 0 && chat.busy + next.size > AT_ONCE)
        await new Promise<void>((resolve) => {
          chat.freed = resolve
        })
      const { hash, size } = next
      const began = performance.now()
      const received = next.message ?? (await keys.received(hash).catch(onFailure))
      chat.waiting.shift()
      if (next.message) chat.kept -= size
      if (!received) {
        next.begun(Promise.resolve())
        continue
      }
      chat.busy += size
      const one = read({ hash, ...received })
      next.begun(one)
      const ended = one.catch(() => undefined).then(() => end(key, chat, size))
      if (size <= AT_ONCE) continue
      await ended
      await pause(Math.min(performance.now() - began, MAX_REST_MS), undefined, { ref: false })
    }
    chat.isRunning = false
    forget(key, chat)
  }

  function end(key: string, chat: Chat, size: number): void {
    chat.busy -= size
    chat.freed()
    forget(key, chat)
  }

  function forget(key: string, { busy, isRunning }: Chat): void {
    if (busy === 0 && !isRunning) chats.delete(key)
  }

  return {
    read(message) {
      const key = chatOf(message)
      const chat = chats.get(key) ?? newChat()
      chats.set(key, chat)
      const size = Math.max(LEAST, message.plain.length)
      const isKept = size <= AT_ONCE || chat.kept === 0 || chat.kept + size <= KEPT
      const isInFlight = chat.waiting.length < IN_FLIGHT
      if (isKept) chat.kept += size
      const done = new Promise<void>((resolve, reject) => {
        const begun = (one: Promise<void>): void => {
          if (!isInFlight) track(one)
          one.then(resolve, reject)
        }
        chat.waiting.push({ hash: message.hash, size, message: isKept ? message : undefined, begun })
      })
      if (isInFlight) track(done)
      if (!chat.isRunning) void run(key, chat)
      if (isKept) return done
      done.catch(onFailure)
      return keys.settled()
    },
  }
}

const newChat = (): Chat => ({ waiting: [], kept: 0, busy: 0, isRunning: false, freed: () => undefined })

function chatOf({ stanza: { attrs } }: Received): string {
  return jidNormalizedUser(attrs['recipient'] ?? attrs['from'])
}
