import type { SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys'
import { createKeyedQueue } from 'wamux/plugin'
import type { KeyStore } from './signal-keys.ts'

/**
 * The key store as Baileys takes it, in place of the one that its addTransactionCapability makes (Utils/auth-utils.js).
 * Transactions of one name still run one after the other; a write is queued at once and not at the end of its
 * transaction, because no frame leaves before it is committed. Theirs keep their state in AsyncLocalStorage, for which
 * Node 20 calls a hook for every promise of the process.
 *
 * None of Baileys' transactions runs within another of its name, once the Signal repository has none.
 */
export function asTransactional({ get, set }: KeyStore): SignalKeyStoreWithTransaction {
  const transactions = createKeyedQueue()
  return {
    get,
    set,
    isInTransaction: () => false,
    transaction: (work, name) => transactions.run(name, work),
  }
}
