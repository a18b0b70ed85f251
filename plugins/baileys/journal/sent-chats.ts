import { createCache } from '../socket/cache.ts'
import type { Outgoing } from '../store/outgoing.ts'

/** The chats of sent messages as they were named by who sent them, which is not always how the stanzas named them. */
export interface SentChats {
  note(id: string, chat: string): void
  /** '' for a message that was not sent from here. */
  of(id: string): Promise<string>
}

/** 150 bytes each. */
const MAX_CHATS = 5_000
const HOUR_MS = 3_600_000

export interface SentChatCache {
  ofSession(session: string, outgoing: Pick<Outgoing, 'find'>): SentChats
}

/**
 * One cache for all sessions, so that a busy session can use the space that idle ones leave. It has the newest messages, whose
 * receipts come at once; the chat of an older one is read from its outgoing row.
 */
export function createSentChatCache(): SentChatCache {
  const chats = createCache<string>(MAX_CHATS, HOUR_MS)
  return {
    ofSession: (session, outgoing) => ({
      note: (id, chat) => chats.set(`${session} ${id}`, chat),
      async of(id) {
        const known = chats.get<string>(`${session} ${id}`)
        if (known !== undefined) return known
        const chat = (await outgoing.find(id))?.chat ?? ''
        chats.set(`${session} ${id}`, chat)
        return chat
      },
    }),
  }
}
