import { LRUCache } from 'lru-cache'
import { isPersonJid, type Sessions, type Socket } from 'wamux/plugin'

/** The network tells of a person only while it is asked to; each link asks for those it talks with. */
export interface Watching {
  /** A message came or went: asks for the other side of a 1:1 chat, once a link. */
  see(session: string, event: Record<string, unknown>): Promise<void>
}

/** All is not among them: it is what a session has that asked for nothing, and asking shows the account's interest. */
const CLASSES = ['Presence', 'ChatPresence']
/** People that a link watches at most; the longest unheard are asked for again when they write. */
const MOST = 1000

export function createWatching({ sessions }: { sessions: Sessions }): Watching {
  // By link: with its end the network forgets what it was asked for.
  const links = new WeakMap<Socket, LRUCache<string, true>>()
  return {
    async see(id, event) {
      const { Chat: chat } = event['Info'] as { Chat: string }
      if (!isPersonJid(chat)) return
      const session = await sessions.byId(id)
      const isWanted = session?.subscribe.some((name) => CLASSES.includes(name))
      if (!isWanted || !session?.socket || !session.loggedIn) return
      if (chat === session.jid || chat === session.lid) return
      const { socket } = session
      const watched = links.get(socket) ?? new LRUCache<string, true>({ max: MOST })
      links.set(socket, watched)
      if (watched.get(chat)) return
      watched.set(chat, true)
      await socket.wa.presenceSubscribe(chat)
    },
  }
}
