import { LRUCache } from 'lru-cache'
import type { SenderKeyRecord } from '../baileys.ts'
import type { SessionRecord } from './libsignal.ts'

export type SignalRecord = SessionRecord | SenderKeyRecord

/**
 * Decoded Signal records of one link, changed in place, as of the last queued write. A record that an operation changed
 * without writing must be dropped; the next operation reads it from the store.
 */
export interface LiveRecords {
  get<R extends SignalRecord>(type: RecordType, id: string): R | undefined
  set(type: RecordType, id: string, record: SignalRecord): void
  drop(type: string, id: string): void
}

export type RecordType = 'session' | 'sender-key'

/** Some kilobytes each. */
const MAX_RECORDS = 5_000

export interface RecordCache {
  ofLink(): LiveRecords
}

/** One cache for the records of all links, so that a busy link can use the space that idle links leave. */
export function createRecordCache(): RecordCache {
  const cache = new LRUCache<string, SignalRecord>({ max: MAX_RECORDS })
  let links = 0
  return {
    // A link never sees the records of the previous link, which may not have been stored.
    ofLink() {
      links += 1
      const link = links
      return {
        get: <R extends SignalRecord>(type: RecordType, id: string) =>
          cache.get(`${link} ${type} ${id}`) as R | undefined,
        set: (type, id, record) => void cache.set(`${link} ${type} ${id}`, record),
        drop: (type, id) => void cache.delete(`${link} ${type} ${id}`),
      }
    },
  }
}
