import hooks, { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

let isPatched = false

/** The import follows what is put in its place below. */
const Original = AsyncLocalStorage
/** What each slot holds here. */
const contexts = new Original<ReadonlyMap<object, unknown>>()

/** One of many contexts that share one storage. Only what Baileys uses of Node's. */
class Slot<T> {
  getStore(): T | undefined {
    return contexts.getStore()?.get(this) as T | undefined
  }
  run<R>(store: T, work: () => R): R {
    return contexts.run(new Map(contexts.getStore()).set(this, store), work)
  }
}

/**
 * Runs `open`, in which a Baileys socket is made. Each socket makes an AsyncLocalStorage of its own
 * (Utils/auth-utils.js addTransactionCapability), and Node 20 walks through all that were ever used whenever a
 * promise is made: with a hundred sessions a fifth of the processor. Here they are slots of one.
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
