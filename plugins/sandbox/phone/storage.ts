import { LRUCache } from 'lru-cache'
import type { Uplink } from '../types.ts'

/** A phone's line, and the files that it sent or received over it: it has them when the media host has not. */
export interface StoringUplink extends Uplink {
  /** As it was uploaded: a file is always encrypted alike. */
  stored(directPath: string): Buffer | undefined
  clearStorage(): void
}

const STORED_MOST = 64 * 1024 * 1024

export function withStorage(uplink: Uplink): StoringUplink {
  const files = new LRUCache<string, Buffer>({
    maxSize: STORED_MOST,
    sizeCalculation: (data) => data.length || 1,
  })
  return {
    ...uplink,
    async upload(kind, encrypted) {
      const place = await uplink.upload(kind, encrypted)
      files.set(place.directPath, encrypted)
      return place
    },
    async download(directPath) {
      const encrypted = await uplink.download(directPath)
      files.set(directPath, encrypted)
      return encrypted
    },
    stored: (directPath) => files.get(directPath),
    clearStorage: () => files.clear(),
  }
}
