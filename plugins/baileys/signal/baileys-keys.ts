import type { SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys'
import { createKeyedQueue } from 'wamux/plugin'
import type { KeyStore } from './signal-keys.ts'

/**
 * The key store in the form that Baileys uses, in place of the one that its addTransactionCapability makes (Utils/auth-utils.js).
 * Transactions of one name still run one after the other; a write is queued at once and not at the end of its
 * transaction, because no frame leaves before it is committed. Theirs keep their state in AsyncLocalStorage, for which
 * Node 20 calls a hook for every promise of the process.
 *
 * Where a transaction begins another one of its name, Baileys does it before it first awaits anything (Socket/chats.js
 * appPatch, resyncAppState, rc14): that one runs at once.
 */
export function asTransactional({ get, set }: KeyStore): SignalKeyStoreWithTransaction {
  const transactions = createKeyedQueue()
  /** The transaction whose work is being called. */
  let entered: string | undefined

  function enter<T>(work: () => T, name: string): T {
    const outer = entered
    entered = name
    try {
      return work()
    } finally {
      entered = outer
    }
  }

  return {
    get,
    set,
    isInTransaction: () => false,
    transaction: (work, name) =>
      name === entered ? work() : transactions.run(name, () => enter(work, name)),
  }
}
