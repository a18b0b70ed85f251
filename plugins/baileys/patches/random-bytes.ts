import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type RandomBytes = (size: number, callback?: unknown) => unknown

/** Longer values are drawn one by one. */
const MAX_BYTES = 32
const POOL_BYTES = 4096
const pooled = new WeakSet<object>()

/**
 * Draws short random values in bulk, as Node itself does for `randomUUID`: for one byte of padding, `randomBytes` takes as long
 * as for a hundred. Each byte is given out once and then cleared, so that the pool never holds a key in use.
 */
export function patchRandomBytes(): void {
  const made = pooling(crypto.randomBytes as unknown as RandomBytes)
  pooled.add(made)
  crypto.randomBytes = made as unknown as typeof crypto.randomBytes
  syncBuiltinESMExports()
}

/** Only short values without a callback come from the pool. */
export function pooling(randomBytes: RandomBytes): RandomBytes {
  const pool = Buffer.alloc(POOL_BYTES)
  let used = POOL_BYTES
  return (size, callback) => {
    const isShort = Number.isInteger(size) && size >= 0 && size <= MAX_BYTES
    if (!isShort || callback !== undefined) return randomBytes(size, callback)
    if (used + size > POOL_BYTES) {
      crypto.randomFillSync(pool)
      used = 0
    }
    // In memory of its own: Buffer.from would share it with other buffers.
    const taken = Buffer.alloc(size)
    pool.copy(taken, 0, used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return taken
  }
}

export function verifyRandomBytes(): boolean {
  return pooled.has(crypto.randomBytes)
}
