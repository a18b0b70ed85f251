import { LRUCache } from 'lru-cache'
import { Jid } from 'wamux/messaging'
import {
  type GatewayServices,
  type Log,
  reasonOf,
  type Session,
  type Sessions,
  type Socket,
} from 'wamux/plugin'
import type { PresenceConfig } from './config.ts'

/** The network reports the presence of people to whom a link has subscribed: those with whom it exchanges messages. */
export interface Subscriptions {
  /** A message was received or sent: subscribes to the other side of a 1:1 chat, once for each link. */
  ensure(session: string, event: Record<string, unknown>): Promise<void>
  /**
   * The account goes online or offline. The network reports presence only to online accounts, so the subscriptions of this
   * link and to saved contacts are then renewed.
   */
  shown(session: Session, isAvailable: boolean): Promise<void>
}

interface Deps {
  sessions: Sessions
  log: Log
  config: PresenceConfig
  contacts?: GatewayServices['contacts'] | undefined
}

/** The subscriptions of one link; they end with it. */
interface LinkSubscriptions {
  readonly asked: LRUCache<string, true>
  isShown: boolean
}

const CLASSES = ['All', 'Presence', 'ChatPresence']
/** Maximum number of subscriptions remembered per link; others are renewed with the next message. */
const MAX_ASKED = 1000

export function createSubscriptions({ sessions, log, config, contacts }: Deps): Subscriptions {
  const links = new WeakMap<Socket, LinkSubscriptions>()

  function linkOf(socket: Socket): LinkSubscriptions {
    const link = links.get(socket) ?? { asked: new LRUCache({ max: MAX_ASKED }), isShown: false }
    links.set(socket, link)
    return link
  }

  async function ask(socket: Socket, jid: string): Promise<void> {
    linkOf(socket).asked.set(jid, true)
    await socket.subscribePresence(jid)
  }

  return {
    async ensure(id, event) {
      const { Chat: chat } = event['Info'] as { Chat: string }
      if (!Jid.isPerson(chat)) return
      const session = await sessions.byId(id)
      if (!session?.socket || !session.loggedIn || !subscribesToPresence(session)) return
      if (chat === session.jid || chat === session.lid) return
      if (linkOf(session.socket).asked.get(chat)) return
      // The next link subscribes again.
      await ask(session.socket, chat).catch((error: unknown) =>
        log.debug({ session: id, reason: reasonOf(error) }, 'subscribing to a presence failed'),
      )
    },
    async shown(session, isAvailable) {
      const { socket } = session
      if (!socket || !subscribesToPresence(session)) return
      const link = linkOf(socket)
      const before = link.isShown ? [] : link.asked.keys()
      link.isShown = isAvailable
      if (!isAvailable) return
      const saved = ((await contacts?.named(session.id)) ?? []).map(({ jid, lid }) => lid || jid)
      const people = new Set([...before, ...saved.filter((jid) => !link.asked.has(jid))])
      try {
        for (const jid of [...people].slice(0, config.contacts)) await ask(socket, jid)
      } catch (error) {
        // The account is online anyway; the next link subscribes again.
        log.warn(
          { session: session.id, reason: reasonOf(error) },
          'subscribing to the presence of contacts failed',
        )
      }
    },
  }
}

function subscribesToPresence({ subscribe }: Session): boolean {
  return subscribe.some((name) => CLASSES.includes(name))
}
