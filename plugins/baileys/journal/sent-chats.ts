import { createCache } from '../socket/cache.ts'
import type { Outgoing } from '../store/outgoing.ts'

/** The chats of sent messages as they were named by who sent them, which is not always how the stanzas named them. */
export interface SentChats {
  note(id: string, chat: string): void
  /** '' for a message that was not sent from here. */
  of(id: string): Promise<string>
}

/** Of each session, 150 bytes for each: the messages whose receipts come at once. */
const MAX_CHATS = 200
const HOUR_MS = 3_600_000

/** Usually from memory, where a message has several receipts; else from its outgoing row. */
export function createSentChats(outgoing: Pick<Outgoing, 'find'>): SentChats {
  const chats = createCache<string>(MAX_CHATS, HOUR_MS)
  return {
    note: (id, chat) => chats.set(id, chat),
    async of(id) {
      const known = chats.get<string>(id)
      if (known !== undefined) return known
      const chat = (await outgoing.find(id))?.chat ?? ''
      chats.set(id, chat)
      return chat
    },
  }
}
