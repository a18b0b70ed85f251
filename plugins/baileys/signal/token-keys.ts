import type { SignalDataSet, SignalDataTypeMap } from '@whiskeysockets/baileys'
import { createSerialQueue } from 'wamux/plugin'
import type { AbProp } from '../app-state/ab-props.ts'
import type { KeyStore } from './signal-keys.ts'

/** The token that a person has given, and when the account last issued its own to that person (Unix seconds). */
type Token = SignalDataTypeMap['tctoken']
type Tokens = NonNullable<SignalDataSet['tctoken']>

/** The list of people with an entry (Utils/tc-token-utils.js TC_TOKEN_INDEX_KEY). */
const INDEX = '__index'
const NO_TOKEN = Buffer.alloc(0)

/**
 * The key store in which Baileys neither issues privacy tokens nor removes those that are still valid. It has fixed windows of
 * a week and of four (Utils/tc-token-utils.js); WhatsApp sets them by AB props, for some accounts to half a year
 * (whatsapp-rust#473). The gateway issues tokens (send/tokens/token-issuance.ts).
 *
 * To Baileys the time of the last issuance is NaN for everybody: no new bucket has begun since, and it is too old for the
 * token to be issued again. A write with a number sets the time, if it is newer; any other write keeps it.
 */
export function withTokenWindows(
  { get, set }: Pick<KeyStore, 'get' | 'set'>,
  abProp: AbProp,
): Pick<KeyStore, 'get' | 'set'> {
  // Each write depends on what is stored.
  const writes = createSerialQueue()

  async function merged({ [INDEX]: index, ...written }: Tokens): Promise<Tokens> {
    const jids = Object.keys(written)
    const stored = await get('tctoken', [...jids, INDEX])
    const entries = jids.map((jid) => [jid, merge(stored[jid], written[jid] ?? undefined)] as const)
    const isIssuance = jids.some((jid) => Number.isFinite(written[jid]?.senderTimestamp))
    const current = index ?? (isIssuance ? stored[INDEX] : undefined)
    const kept = entries.flatMap(([jid, entry]) => (entry ? [jid] : []))
    const listed = index || isIssuance ? { [INDEX]: { token: withListed(current?.token, kept) } } : {}
    return { ...Object.fromEntries(entries), ...listed }
  }

  /** Null if nothing of either is still valid. */
  function merge(stored: Token | undefined, written: Token | undefined): Token | null {
    const received = written?.token?.length ? written : isTokenCurrent(stored, abProp) ? stored : undefined
    const times = [stored?.senderTimestamp, written?.senderTimestamp].map(Number).filter(Number.isFinite)
    const issued = Math.max(...times)
    const isIssued = isIssuedCurrent(issued, abProp)
    if (!received && !isIssued) return null
    return {
      token: received?.token ?? NO_TOKEN,
      ...(received?.timestamp === undefined ? {} : { timestamp: received.timestamp }),
      ...(isIssued ? { senderTimestamp: issued } : {}),
    }
  }

  return {
    async get(type, ids) {
      const found = await get(type, ids)
      if (type !== 'tctoken') return found
      const entries = found as Record<string, Token>
      const people = ids.filter((id) => id !== INDEX)
      const shown = people.map((id) => [id, { ...entries[id], senderTimestamp: Number.NaN }])
      return { ...found, ...Object.fromEntries(shown) }
    },
    async set(data) {
      const { tctoken } = data
      if (!tctoken) return set(data)
      return writes.run(async () => set({ ...data, tctoken: await merged(tctoken) }))
    },
  }
}

function withListed(index: Uint8Array | undefined, jids: readonly string[]): Buffer {
  const listed = index?.length ? (JSON.parse(Buffer.from(index).toString()) as string[]) : []
  return Buffer.from(JSON.stringify([...new Set([...listed, ...jids])]))
}

/**
 * The buckets of a kind of tokens: the AB props for the seconds of a bucket, and for how many buckets a token is valid, the
 * current one included.
 */
interface Buckets {
  readonly seconds: number
  readonly count: number
}

const RECEIVED: Buckets = { seconds: 865, count: 909 }
const ISSUED: Buckets = { seconds: 996, count: 997 }
const WEEK_S = 7 * 24 * 3600
/** The longest bucket that WhatsApp allows. */
const MAX_BUCKET_S = 180 * 24 * 3600
const COUNT = 4

/** Whether a received token exists and is still valid. */
export function isTokenCurrent(entry: Token | undefined, abProp: AbProp): boolean {
  return entry?.token?.length ? isCurrent(RECEIVED, Number(entry.timestamp), abProp) : false
}

/** Whether the account's own token, issued at this time (Unix seconds), is still valid. */
export function isIssuedCurrent(issued: number, abProp: AbProp): boolean {
  return isCurrent(ISSUED, issued, abProp)
}

/** Whether a new token is due for a person to whom the last one was issued at this time, if ever (Unix seconds). */
export function isIssuanceDue(issued: number | undefined, abProp: AbProp): boolean {
  if (issued === undefined) return true
  const seconds = secondsOf(ISSUED, abProp)
  return Math.floor(Date.now() / 1000 / seconds) > Math.floor(issued / seconds)
}

function isCurrent(buckets: Buckets, time: number, abProp: AbProp): boolean {
  const seconds = secondsOf(buckets, abProp)
  const bucket = Math.floor(Date.now() / 1000 / seconds)
  return time >= (bucket - (Math.max(1, abProp(buckets.count, COUNT)) - 1)) * seconds
}

function secondsOf(buckets: Buckets, abProp: AbProp): number {
  return Math.min(Math.max(1, abProp(buckets.seconds, WEEK_S)), MAX_BUCKET_S)
}
