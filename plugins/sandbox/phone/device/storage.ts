import { LRUCache } from 'lru-cache'
import type { Uplink } from '../../types.ts'

/** An uplink that stores all files sent or received, in case the media host drops them, and knows whether it is online. */
export interface StoringUplink extends Uplink {
  /** The encrypted file as it was uploaded. */
  stored(directPath: string): Buffer | undefined
  clearStorage(): void
  isOnline(): boolean
}

const MAX_STORED_BYTES = 64 * 1024 * 1024

export function withStorage(uplink: Uplink): StoringUplink {
  const files = new LRUCache<string, Buffer>({
    maxSize: MAX_STORED_BYTES,
    sizeCalculation: (data) => data.length || 1,
  })
  let isOnline = true
  return {
    ...uplink,
    isOnline: () => isOnline,
    setOnline(isOn) {
      isOnline = isOn
      uplink.setOnline(isOn)
    },
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
