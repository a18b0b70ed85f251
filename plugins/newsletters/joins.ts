import { LRUCache } from 'lru-cache'
import type { Events, LiveSession, Recording, Signal, Static } from 'wamux/plugin'
import type { Metadata } from './metadata.ts'
import { create, follow, infoOf } from './requests.ts'

type Newsletter = Static<typeof Metadata>

declare module 'wamux/plugin' {
  interface GatewaySignals {
    /** The account joined a newsletter by a call of this session, or made one. */
    'newsletter.joined': { newsletter: Newsletter; key: string }
  }
}

/**
 * Joins by own calls. The network notifies the other devices of the account; should it notify the calling one too,
 * call and notification are the same event, by its key.
 */
export interface Joins {
  create(session: LiveSession, name: string, description?: string): Promise<Newsletter>
  /** Follows, unless the account does already. */
  follow(session: LiveSession, jid: string): Promise<void>
  /** The key of a join that a notification reports; undefined for one by another device. */
  keyOf(session: string, newsletter: Newsletter): string | undefined
  /** The account has left: its next join is another one. */
  forget(session: string, jid: string): void
}

/** How long after an own call a notification means the same join. */
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
      // The notification may be faster than the answer.
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

/** It is made once. */
function keyOfMade({ id }: Newsletter): string {
  return `made ${id}`
}
