import type { CacheStore } from '@whiskeysockets/baileys'

/** A bounded cache with the interface that Baileys expects, and with the methods of an `lru-cache` that it uses. */
export interface BoundedCache<V = unknown> extends CacheStore {
  get<T = V>(key: string): T | undefined
  set<T = V>(key: string, value: T): void
  delete(key: string): void
  clear(): void
}

/**
 * A `Map` in the order of use. Not an `lru-cache` with `max`, which lays out its arrays for all entries at once: five of
 * them in each link were half of the memory of an idle session.
 *
 * @param max entries; the one that was used least recently is dropped.
 * @param ttl milliseconds from `set` until an entry is gone.
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
