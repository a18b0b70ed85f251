import type { CacheStore } from '@whiskeysockets/baileys'
import { LRUCache } from 'lru-cache'

/** A bounded cache with the interface that Baileys expects. */
export function createCache(max: number, ttl: number): CacheStore {
  const cache = new LRUCache<string, object>({ max, ttl })
  return {
    get: <T>(key: string) => cache.get(key) as T | undefined,
    set: (key: string, value: unknown) => {
      cache.set(key, value as object)
    },
    del: (key: string) => {
      cache.delete(key)
    },
    flushAll: () => cache.clear(),
  }
}
