import type { BinaryNode, GroupMetadata } from '@whiskeysockets/baileys'
import { LRUCache } from 'lru-cache'
import { refusalOf } from '../protocol/refusal.ts'

/** Members of groups, so that a send to one does not ask for them each time. */
export interface GroupCache {
  get(jid: string): Promise<GroupMetadata | undefined>
  /** A notification told of a change, or a query made one. */
  invalidate(stanza: BinaryNode): void
}

const TTL_MS = 15 * 60_000

export function createGroupCache(fetch: (jid: string) => Promise<GroupMetadata>): GroupCache {
  const cache = new LRUCache<string, Promise<GroupMetadata>>({ max: 1000, ttl: TTL_MS })
  return {
    async get(jid) {
      const known = cache.get(jid)
      if (known) return known
      const asked = fetch(jid).catch((error: unknown) => {
        throw refusalOf(error, 'read the group')
      })
      cache.set(jid, asked)
      // A group that could not be read now may be readable later.
      asked.catch(() => {
        if (cache.peek(jid) === asked) cache.delete(jid)
      })
      return asked
    },
    invalidate({ attrs }) {
      if (attrs['type'] === 'w:gp2') cache.delete(attrs['from'] ?? '')
      if (attrs['xmlns'] === 'w:g2' && attrs['type'] === 'set') cache.delete(attrs['to'] ?? '')
    },
  }
}
