import type { SessionRecord } from './libsignal.ts'

/**
 * Copies the keys of a session out of Buffer's pool, in which libsignal makes them: as long as its record is live, a key of 32
 * bytes would keep the 8 kB around it. Keys of skipped messages stay there: they are few, and soon used.
 */
export function copyFromPool({ sessions }: SessionRecord): void {
  for (const { _chains: chains, currentRatchet, indexInfo } of Object.values(sessions)) {
    copyKeys(currentRatchet)
    copyKeys(currentRatchet.ephemeralKeyPair)
    copyKeys(indexInfo)
    for (const { chainKey } of Object.values(chains)) copyKeys(chainKey)
  }
}

function copyKeys(holder: object): void {
  for (const [name, value] of Object.entries(holder))
    if (Buffer.isBuffer(value) && value.buffer.byteLength === Buffer.poolSize)
      Object.assign(holder, { [name]: unpooled(value) })
}

/** A copy with its own memory. */
export function unpooled(value: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(value.length)
  copy.set(value)
  return copy
}
