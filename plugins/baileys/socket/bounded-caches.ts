import type { WASocket } from '@whiskeysockets/baileys'
import { MessageRetryManager } from '../baileys.ts'
import { omitted } from '../patches/omitted.ts'
import { createCache } from './cache.ts'

/** A socket's caches that none of its options replaces. */
export interface CachingSocket {
  readonly messageRetryManager: WASocket['messageRetryManager']
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MAX_RETRIES = 1_024

/**
 * Replaces the caches in which a socket keeps its retries (Utils/message-retry-manager.js): some allocate their arrays for
 * all entries at once, the others have no bound, and all start a timer for each entry. Sent messages are not cached:
 * `getMessage` finds them in the database, which keeps them for two weeks instead of five minutes.
 */
export function boundCaches({ messageRetryManager }: CachingSocket): void {
  if (omitted.patches.has('caches') || !messageRetryManager) return
  Object.assign(messageRetryManager, {
    addRecentMessage: () => undefined,
    recentMessagesMap: createCache(1, MINUTE_MS),
    sessionRecreateHistory: createCache(MAX_RETRIES, 2 * HOUR_MS),
    retryCounters: createCache(MAX_RETRIES, 15 * MINUTE_MS),
    baseKeys: createCache(MAX_RETRIES, 15 * MINUTE_MS),
  })
}

/** Sent messages are not cached, but retries are still counted. */
export function areCachesBounded(): boolean {
  const none = (): void => undefined
  const silent = {
    level: 'silent',
    child: () => silent,
    trace: none,
    debug: none,
    info: none,
    warn: none,
    error: none,
  }
  const messageRetryManager = new MessageRetryManager(silent, 5)
  boundCaches({ messageRetryManager })
  messageRetryManager.addRecentMessage('1@s.whatsapp.net', 'ID', {})
  messageRetryManager.incrementRetryCount('ID')
  const isCached = messageRetryManager.getRecentMessage('1@s.whatsapp.net', 'ID') !== undefined
  return !isCached && messageRetryManager.getRetryCount('ID') === 1
}
