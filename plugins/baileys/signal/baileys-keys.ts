import type { SignalDataSet, SignalDataTypeMap, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys'
import { createKeyedQueue } from 'wamux/plugin'
import type { AbProp } from '../app-state/ab-props.ts'
import type { KeyStore } from './signal-keys.ts'

/**
 * The key store in the form that Baileys expects; replaces the result of its addTransactionCapability
 * (Utils/auth-utils.js). Transactions with the same name still run one after the other. A write is queued immediately and
 * not at the end of its transaction, because no frame leaves before it is committed. Baileys keeps the state of its
 * transactions in AsyncLocalStorage, which makes Node 20 call a hook for every promise of the process.
 *
 * If a transaction starts another one with the same name, Baileys does so before its first await (Socket/chats.js appPatch,
 * resyncAppState, rc14): the inner one runs immediately.
 */
export function asTransactional(
  store: Pick<KeyStore, 'get' | 'set'>,
  abProp: AbProp,
): SignalKeyStoreWithTransaction {
  const { get, set } = withValidTokens(store, abProp)
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

type Token = SignalDataTypeMap['tctoken']

/** The list of people who have given a token (Utils/tc-token-utils.js TC_TOKEN_INDEX_KEY). */
const INDEX = '__index'

/**
 * The key store, but privacy tokens that are still valid are not removed. Baileys assumes a fixed window of four weeks
 * (isTcTokenExpired) and removes older tokens when it sends, and once a day; WhatsApp gives some accounts half a year
 * (whatsapp-rust#473).
 */
function withValidTokens(
  { get, set }: Pick<KeyStore, 'get' | 'set'>,
  abProp: AbProp,
): Pick<KeyStore, 'get' | 'set'> {
  async function keep(tokens: NonNullable<SignalDataSet['tctoken']>): Promise<typeof tokens> {
    const removed = Object.keys(tokens).filter((jid) => jid !== INDEX && !tokens[jid]?.token.length)
    if (removed.length === 0) return tokens
    const stored = await get('tctoken', removed)
    const kept: typeof tokens = {}
    for (const jid of removed) {
      const entry = stored[jid]
      // The write may carry the time of the own token.
      if (entry && isTokenCurrent(entry, abProp)) kept[jid] = { ...entry, ...tokens[jid], token: entry.token }
    }
    const index = tokens[INDEX]
    const listed = index ? { [INDEX]: { token: withListed(index.token, Object.keys(kept)) } } : {}
    return { ...tokens, ...kept, ...listed }
  }

  return {
    get,
    set: async (data) => set(data.tctoken ? { ...data, tctoken: await keep(data.tctoken) } : data),
  }
}

function withListed(index: Uint8Array, jids: readonly string[]): Buffer {
  const listed = JSON.parse(Buffer.from(index).toString()) as string[]
  return Buffer.from(JSON.stringify([...new Set([...listed, ...jids])]))
}

/** AB props: length of a token bucket in seconds, and the number of buckets for which a received token is valid. */
const BUCKET_SECONDS = 865
const BUCKETS = 909
const WEEK_S = 7 * 24 * 3600
/** The longest bucket that WhatsApp allows. */
const MAX_BUCKET_S = 180 * 24 * 3600

/** Whether a received token exists and is still valid, which it is for a number of buckets, the current one included. */
export function isTokenCurrent(entry: Token | undefined, abProp: AbProp, now = Date.now()): boolean {
  if (!entry?.token?.length) return false
  const seconds = Math.min(Math.max(1, abProp(BUCKET_SECONDS, WEEK_S)), MAX_BUCKET_S)
  const bucket = Math.floor(now / 1000 / seconds)
  return Number(entry.timestamp) >= (bucket - (abProp(BUCKETS, 4) - 1)) * seconds
}
