import hooks, { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

let isPatched = false

/** Kept, because the imported binding changes below. */
const Original = AsyncLocalStorage
/** The value of each slot in the current async context. */
const contexts = new Original<ReadonlyMap<object, unknown>>()

/** One of many contexts that share one storage, with the methods that Baileys uses. */
class Slot<T> {
  getStore(): T | undefined {
    return contexts.getStore()?.get(this) as T | undefined
  }
  run<R>(store: T, work: () => R): R {
    return contexts.run(new Map(contexts.getStore()).set(this, store), work)
  }
}

/**
 * Runs `open`, in which a key store with Baileys' transactions is made, as the phones of the local network use it. Each has
 * an AsyncLocalStorage of its own (Utils/auth-utils.js addTransactionCapability), and Node 20 iterates over all that were
 * ever used whenever a promise is made: with a hundred phones this takes a fifth of the CPU time. Here they are slots of
 * one. A link has no such store (store/baileys-keys.ts).
 */
export function sharingContexts<T>(open: () => T): T {
  if (!isPatched) return open()
  const builtin = hooks as { AsyncLocalStorage: unknown }
  builtin.AsyncLocalStorage = Slot
  syncBuiltinESMExports()
  try {
    return open()
  } finally {
    builtin.AsyncLocalStorage = Original
    syncBuiltinESMExports()
  }
}

/** Nothing changes outside `sharingContexts`. */
export function patchContexts(): void {
  isPatched = true
}

export function verifyContexts(): boolean {
  return sharingContexts(() => new AsyncLocalStorage()) instanceof Slot
}
