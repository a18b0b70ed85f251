import type { WASocket } from '@whiskeysockets/baileys'
import { MessageRetryManager } from '../baileys.ts'
import { omitted } from '../patches/omitted.ts'
import { createCache } from './cache.ts'

/** The caches of a socket that no option of it replaces. */
export interface CachingSocket {
  readonly messageRetryManager: WASocket['messageRetryManager']
  readonly signalRepository: { readonly lidMapping: object }
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MAX_RETRIES = 1_024
const MAX_MAPPINGS = 10_000

/**
 * Replaces the caches in which a socket keeps its retries and its phone-to-LID mappings (Utils/message-retry-manager.js,
 * Signal/lid-mapping.js): some lay out their arrays for all entries at once, the others have no bound, and all start a timer
 * for each entry. Sent messages are not cached: `getMessage` finds each of them in the database, where it stays for
 * two weeks instead of five minutes.
 */
export function boundCaches({ messageRetryManager, signalRepository }: CachingSocket): void {
  if (omitted.patches.has('caches')) return
  Object.assign(signalRepository.lidMapping, { mappingCache: createCache(MAX_MAPPINGS, 72 * HOUR_MS) })
  if (!messageRetryManager) return
  Object.assign(messageRetryManager, {
    addRecentMessage: () => undefined,
    recentMessagesMap: createCache(1, MINUTE_MS),
    sessionRecreateHistory: createCache(MAX_RETRIES, 2 * HOUR_MS),
    retryCounters: createCache(MAX_RETRIES, 15 * MINUTE_MS),
    baseKeys: createCache(MAX_RETRIES, 15 * MINUTE_MS),
  })
}

/** A sent message is not cached; retries are still counted. */
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
  boundCaches({ messageRetryManager, signalRepository: { lidMapping: {} } })
  messageRetryManager.addRecentMessage('1@s.whatsapp.net', 'ID', {})
  messageRetryManager.incrementRetryCount('ID')
  const isCached = messageRetryManager.getRecentMessage('1@s.whatsapp.net', 'ID') !== undefined
  return !isCached && messageRetryManager.getRetryCount('ID') === 1
}
