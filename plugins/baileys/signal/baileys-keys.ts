import type { SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys'
import { createKeyedQueue } from 'wamux/plugin'
import type { AbProp } from '../app-state/ab-props.ts'
import type { KeyStore } from './signal-keys.ts'
import { withTokenWindows } from './token-keys.ts'

/**
 * The key store in the form that Baileys expects; replaces the result of its addTransactionCapability
 * (Utils/auth-utils.js). Transactions with the same name still run one after the other. A write is queued immediately and
 * not at the end of its transaction, because no frame leaves before it is committed. Baileys keeps the state of its
 * transactions in AsyncLocalStorage, which makes Node before 24 call a hook for every promise of the process.
 *
 * If a transaction starts another one with the same name, Baileys does so before its first await (Socket/chats.js appPatch,
 * resyncAppState, rc14): the inner one runs immediately.
 */
export function asTransactional(
  store: Pick<KeyStore, 'get' | 'set'>,
  abProp: AbProp,
): SignalKeyStoreWithTransaction {
  const { get, set } = withTokenWindows(store, abProp)
  const transactions = createKeyedQueue()
  /** Name of the transaction whose work is being called. */
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
