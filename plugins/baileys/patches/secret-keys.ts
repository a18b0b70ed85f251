import crypto, { createSecretKey } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type Make = (algorithm: string, key: unknown, ...rest: unknown[]) => unknown

const NAMES = ['createHmac', 'createCipheriv', 'createDecipheriv'] as const
const patched = new WeakSet<object>()

/** Other versions look at a key without throwing: there keys pass as they are. */
const IS_SLOW = process.versions.node.startsWith('24.')

/**
 * Passes the raw keys of Signal and Noise to Node as key objects. Node 24 finds out that a key is no object by two errors that
 * it throws and catches (nodejs/node#63111), each with the trace of a deep stack: 13 % of the CPU of a send.
 */
export function patchSecretKeys(): void {
  const makers = crypto as unknown as Record<string, Make>
  for (const name of NAMES) {
    const make = withKeyObjects(makers[name] as Make)
    patched.add(make)
    makers[name] = make
  }
  syncBuiltinESMExports()
}

/** Raw keys become key objects. Text and an empty key, which not every version takes as an object, stay as they are. */
export function withKeyObjects(make: Make, isSlow = IS_SLOW): Make {
  return (algorithm, key, ...rest) => {
    const isRaw = isSlow && key instanceof Uint8Array && key.length > 0
    return make(algorithm, isRaw ? createSecretKey(key) : key, ...rest)
  }
}

export function verifySecretKeys(): boolean {
  return NAMES.every((name) => patched.has(crypto[name]))
}
