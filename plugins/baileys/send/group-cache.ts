import type { BinaryNode, GroupMetadata } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { refusalCode, refusalOf } from '../protocol/refusal.ts'
import { createCache } from '../socket/cache.ts'

/** Caches group members, so that not every send to a group queries them. */
export interface GroupCache {
  /** @param fetch queries the members of an unknown group. */
  get(jid: string, fetch: (jid: string) => Promise<GroupMetadata>): Promise<GroupMetadata>
  /** Drops the group that a notification or a query changes. */
  invalidate(stanza: BinaryNode): void
  drop(jid: string): void
  clear(): void
}

const TTL_MS = 15 * 60_000
const MAX_GROUPS = 1_000

export function createGroupCache(): GroupCache {
  const cache = createCache<Promise<GroupMetadata>>(MAX_GROUPS, TTL_MS)
  return {
    async get(jid, fetch) {
      const known = cache.get(jid)
      if (known) return known
      const asked = fetch(jid).catch((error: unknown) => {
        throw refusalCode(error) === 404
          ? gatewayError('NOT_ON_NETWORK', [jid], { cause: error })
          : refusalOf(error, 'read the group')
      })
      cache.set(jid, asked)
      // A failure is not cached.
      asked.catch(() => {
        if (cache.get(jid) === asked) cache.delete(jid)
      })
      return asked
    },
    drop: (jid) => cache.delete(jid),
    clear: () => cache.clear(),
    invalidate({ attrs }) {
      if (attrs['type'] === 'w:gp2') cache.delete(attrs['from'] ?? '')
      if (attrs['xmlns'] === 'w:g2' && attrs['type'] === 'set') cache.delete(attrs['to'] ?? '')
    },
  }
}
