import type { CacheStore } from '@whiskeysockets/baileys'

/** A bounded cache with the interface that Baileys expects and the `lru-cache` methods that it uses. */
export interface BoundedCache<V = unknown> extends CacheStore {
  get<T = V>(key: string): T | undefined
  set<T = V>(key: string, value: T): void
  delete(key: string): void
  clear(): void
}

/**
 * A `Map` in order of use. Replaces `lru-cache` with `max`, which allocates its arrays for all entries at once: five of
 * them per link were half of an idle session's memory.
 *
 * @param max entries; the least recently used one is dropped.
 * @param ttl milliseconds from `set` until an entry expires.
 */
export function createCache<V = unknown>(max: number, ttl: number): BoundedCache<V> {
  const entries = new Map<string, { value: unknown; expires: number }>()

  function set(key: string, value: unknown): void {
    entries.delete(key)
    entries.set(key, { value, expires: Date.now() + ttl })
    if (entries.size <= max) return
    const [oldest] = entries.keys()
    if (oldest !== undefined) entries.delete(oldest)
  }

  return {
    get<T>(key: string) {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      if (entry.expires <= Date.now()) return undefined
      entries.set(key, entry)
      return entry.value as T
    },
    set,
    del: (key: string) => void entries.delete(key),
    delete: (key: string) => void entries.delete(key),
    flushAll: () => entries.clear(),
    clear: () => entries.clear(),
  }
}
