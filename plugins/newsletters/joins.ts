import { LRUCache } from 'lru-cache'
import type { Events, LiveSession, Recording, Signal, Static } from 'wamux/plugin'
import type { Metadata } from './metadata.ts'
import { create, follow, infoOf } from './requests.ts'

type Newsletter = Static<typeof Metadata>

declare module 'wamux/plugin' {
  interface GatewaySignals {
    /** The account followed or created a newsletter by a call of this session. */
    'newsletter.joined': { newsletter: Newsletter; key: string }
  }
}

/**
 * Joins by calls of this session. The network notifies the other devices of the account; if it also notifies the calling
 * one, the key makes call and notification one event.
 */
export interface Joins {
  create(session: LiveSession, name: string, description?: string): Promise<Newsletter>
  /** Follows a newsletter, unless the account follows it already. */
  follow(session: LiveSession, jid: string): Promise<void>
  /** The key of a notified join; undefined if another device joined. */
  keyOf(session: string, newsletter: Newsletter): string | undefined
  /** The account has left; its next join gets a new key. */
  forget(session: string, jid: string): void
}

/** A notification within this time after a call belongs to the same join. */
const SAME_MS = 60_000

export function createJoins({ events }: { events: Events }): Joins {
  const calls = new LRUCache<string, string>({ max: 1000, ttl: SAME_MS })

  return {
    async create(session, name, description) {
      const newsletter = await create(session, name, description)
      await events.raise(session.id, 'newsletter.joined', { newsletter, key: keyOfMade(newsletter) })
      return newsletter
    },
    async follow(session, jid) {
      const before = await infoOf(session, jid)
      const { role = 'guest', mute = 'off' } = before.viewer_metadata ?? {}
      const key = `joined ${jid} ${Date.now()}`
      // The notification may arrive before the answer.
      if (role === 'guest') calls.set(`${session.id} ${jid}`, key)
      await follow(session, jid)
      if (role !== 'guest') return
      const newsletter = { ...before, viewer_metadata: { mute, role: 'subscriber' } }
      await events.raise(session.id, 'newsletter.joined', { newsletter, key })
    },
    keyOf: (session, newsletter) =>
      newsletter.viewer_metadata?.role === 'owner'
        ? keyOfMade(newsletter)
        : calls.get(`${session} ${newsletter.id}`),
    forget: (session, jid) => void calls.delete(`${session} ${jid}`),
  }
}

export function ofJoin({ data: { newsletter, key } }: Signal<'newsletter.joined'>): Recording {
  return { events: [{ type: 'NewsletterJoin', chat: newsletter.id, key, body: { event: newsletter } }] }
}

/** A newsletter is created once, so its id is the key. */
function keyOfMade({ id }: Newsletter): string {
  return `made ${id}`
}
