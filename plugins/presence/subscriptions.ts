import { LRUCache } from 'lru-cache'
import { isPersonJid } from 'wamux/messaging'
import {
  type GatewayServices,
  type Log,
  reasonOf,
  type Session,
  type Sessions,
  type Socket,
} from 'wamux/plugin'
import type { PresenceConfig } from './config.ts'

/** The network reports the presence of people that a link asked for; each asks for those it exchanges messages with. */
export interface Subscriptions {
  /** A message came or went: asks for the other side of a 1:1 chat, once a link. */
  ensure(session: string, event: Record<string, unknown>): Promise<void>
  /**
   * The account shows itself on line or not. The network reports presence only to accounts that do, so the people
   * of this link are asked for again then, and saved contacts.
   */
  shown(session: Session, isAvailable: boolean): Promise<void>
}

interface Deps {
  sessions: Sessions
  log: Log
  config: PresenceConfig
  contacts?: GatewayServices['contacts'] | undefined
}

/** What one link asked for; with its end the network forgets it. */
interface Link {
  readonly asked: LRUCache<string, true>
  isShown: boolean
}

const CLASSES = ['All', 'Presence', 'ChatPresence']
/** People that a link remembers to have asked for; others are asked for again when they write. */
const MAX_ASKED = 1000

export function createSubscriptions({ sessions, log, config, contacts }: Deps): Subscriptions {
  const links = new WeakMap<Socket, Link>()

  function linkOf(socket: Socket): Link {
    const link = links.get(socket) ?? { asked: new LRUCache({ max: MAX_ASKED }), isShown: false }
    links.set(socket, link)
    return link
  }

  async function ask(socket: Socket, jid: string): Promise<void> {
    linkOf(socket).asked.set(jid, true)
    await socket.wa.presenceSubscribe(jid)
  }

  return {
    async ensure(id, event) {
      const { Chat: chat } = event['Info'] as { Chat: string }
      if (!isPersonJid(chat)) return
      const session = await sessions.byId(id)
      if (!session?.socket || !session.loggedIn || !wants(session)) return
      if (chat === session.jid || chat === session.lid) return
      if (!linkOf(session.socket).asked.get(chat)) await ask(session.socket, chat)
    },
    async shown(session, isAvailable) {
      const { socket } = session
      if (!socket || !wants(session)) return
      const link = linkOf(socket)
      const before = link.isShown ? [] : link.asked.keys()
      link.isShown = isAvailable
      if (!isAvailable) return
      const saved = ((await contacts?.named(session.id)) ?? []).map(({ jid, lid }) => lid || jid)
      const people = new Set([...before, ...saved.filter((jid) => !link.asked.has(jid))])
      try {
        for (const jid of [...people].slice(0, config.contacts)) await ask(socket, jid)
      } catch (error) {
        // The account is shown all the same; the next link asks again.
        log.warn({ session: session.id, reason: reasonOf(error) }, 'presence of contacts was not asked for')
      }
    },
  }
}

function wants({ subscribe }: Session): boolean {
  return subscribe.some((name) => CLASSES.includes(name))
}
