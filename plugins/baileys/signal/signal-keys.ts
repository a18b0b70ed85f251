import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from '@whiskeysockets/baileys'
import { LRUCache } from 'lru-cache'
import { createSerialQueue, type PluginDb, type Row } from 'wamux/plugin'
import type { Received } from '../protocol/received.ts'
import { type Codec, decodeKey, encode } from '../store/codec.ts'
import type { Inbox, InboxMessage } from '../store/inbox.ts'
import { unpooled } from './key-memory.ts'
import type { LiveRecords } from './live-records.ts'

/**
 * A session's Signal keys in SQL, one row each, cached in memory. `set` resolves when the write is queued; writes keep
 * their order. `settled` resolves when it is committed; no frame leaves before that.
 */
export interface KeyStore extends SignalKeyStore {
  /** Queues the changes of one operation of the Signal repository and the message that it decrypted as one write. */
  write(data: KeyChanges, received?: InboxMessage): void
  /** A message that was already decrypted, by the hash of its ciphertext. */
  received(hash: string): Promise<Received | undefined>
  /** Resolves when everything set before the call is committed; rejects if any read or write failed. */
  settled(): Promise<void>
  /** Makes `settled` wait for another write, too. */
  track<T>(write: Promise<T>): Promise<T>
  /** Reports a storage failure of other work like one of the store itself. */
  guarded<T>(work: Promise<T>): Promise<T>
}

/** Values by type and id; null removes a key. */
export type KeyChanges = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>

export interface KeyStoreParts {
  db: PluginDb
  codec: Codec
  session: string
  inbox: Inbox
  /** Keys changed by anything but the Signal repository are dropped from these. */
  records: LiveRecords
  /** Upper limit of the cache in bytes. */
  cacheBytes: number
  /** Aborted once the link has failed. */
  signal: AbortSignal
  /**
   * A read or write failed. Called before the caller gets the error: Baileys treats a key that can't be read as missing,
   * and would acknowledge as undecryptable a message that needs this key.
   */
  onFailure(error: unknown): void
}

/** Many keys that are read once each, or kept as live records: in the cache they would displace the other keys. */
const UNCACHED = new Set(['pre-key', 'session', 'sender-key'])
const KEY = ['session', 'type', 'id'] as const
/** Read several times for each message, never changed by their readers: decoded once. */
const SHARED = new Set(['lid-mapping', 'tctoken', 'nct-salt'])
/** Marks a key that is known to be absent. */
const GONE = Buffer.alloc(0)

/** A key's value in plain text, and decoded if its type is `SHARED` and it was read. */
interface Entry {
  readonly value: Buffer
  decoded?: unknown
}

/**
 * Replaces Baileys' cacheable store, which answers from its cache before the row is stored, forgets after five minutes, and
 * locks all keys of a session around every access (Utils/auth-utils.js).
 */
export function createKeyStore(parts: KeyStoreParts): KeyStore {
  const { db, codec, session, inbox, records, cacheBytes, signal, onFailure } = parts
  /** By type and id, also keys that are known to be absent. */
  const cache = new LRUCache<string, Entry>({
    maxSize: cacheBytes,
    sizeCalculation: ({ value }, key) => value.length + key.length + 64,
  })
  /** Values whose write is queued, or was committed during a read; readers see them already. */
  const pending = new Map<string, Entry>()
  /** Plaintexts with a queued, uncommitted write. */
  const arriving = new Map<string, Received>()
  // One read at a time: two messages of a chat that read the same row must not overtake each other on two connections,
  // because Baileys continues with the first answer.
  const reads = createSerialQueue()
  let writes: Promise<unknown> = Promise.resolve()

  function guarded<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      onFailure(error)
      throw error
    })
  }

  function track<T>(write: Promise<T>): Promise<T> {
    const tracked = guarded(write)
    // Without results: each would retain the previous one.
    writes = Promise.all([writes, tracked]).then(() => undefined)
    // `settled` rejects with the failure; the chain itself must not become an unhandled rejection.
    writes.catch(() => undefined)
    return tracked
  }

  async function load(type: string, ids: readonly string[]): Promise<Map<string, Buffer>> {
    const byIndex = new Map(ids.map((id) => [codec.index(`keys/${type}`, id), id]))
    const rows = await db
      .read<Row>(db.table('keys'))
      .where({ session, type })
      .whereIn('id', [...byIndex.keys()])
      .select('id', 'value')
    return new Map(
      rows.map((row) => {
        const index = String(row['id'])
        return [byIndex.get(index) ?? '', codec.openText(`keys/${type}/${index}`, row['value'] as Buffer)]
      }),
    )
  }

  async function get<T extends keyof SignalDataTypeMap>(
    type: T,
    ids: string[],
  ): Promise<Record<string, SignalDataTypeMap[T]>> {
    const found: Record<string, SignalDataTypeMap[T]> = {}
    const missing: string[] = []
    const add = (id: string, entry: Entry): void => {
      if (entry.value.length > 0) found[id] = decodedOf(type, entry) as SignalDataTypeMap[T]
    }
    for (const id of ids) {
      const name = `${type} ${id}`
      const entry = pending.get(name) ?? cache.get(name)
      if (entry) add(id, entry)
      else missing.push(id)
    }
    if (missing.length === 0) return found
    const look = async (): Promise<void> => {
      const rows = await load(type, missing)
      for (const id of missing) {
        const name = `${type} ${id}`
        // A write queued during this read is newer than the row.
        const entry = pending.get(name) ?? cache.get(name) ?? { value: rows.get(id) ?? GONE }
        if (!UNCACHED.has(type) && !pending.has(name)) cache.set(name, inOwnMemory(entry))
        add(id, entry)
      }
    }
    await guarded(reads.run(look))
    return found
  }

  function write(data: KeyChanges, received?: InboxMessage): void {
    const put: Row[] = []
    const remove: Row[] = []
    const entries: [name: string, entry: Entry][] = []
    for (const [type, values] of Object.entries(data)) {
      for (const [id, value] of Object.entries(values ?? {})) {
        const isGone = value === null || value === undefined
        const text = isGone ? GONE : encode(value)
        const row = { session, type, id: codec.index(`keys/${type}`, id) }
        if (isGone) remove.push(row)
        else put.push({ ...row, value: codec.sealText(`keys/${type}/${row.id}`, text) })
        entries.push([`${type} ${id}`, { value: text }])
      }
    }
    for (const [name, entry] of entries) pending.set(name, entry)
    if (received) arriving.set(received.hash, received)
    const written = track(
      db.write([
        ...(put.length > 0 ? [db.put('keys', KEY, put)] : []),
        ...(remove.length > 0 ? [db.remove('keys', KEY, remove)] : []),
        ...(received ? [inbox.row(received)] : []),
      ]),
    )
    // Not awaited: the next ratchet step may build on this one at once, because no frame leaves before both are committed
    // (commit-barrier.ts). A failure closes the link, and the next link reads the stored keys.
    written.then(
      () => settle(true),
      () => settle(false),
    )

    async function settle(isStored: boolean): Promise<void> {
      if (received) arriving.delete(received.hash)
      if (!isStored) for (const [name] of entries) cache.delete(name)
      // A read that began before the commit may still answer with the row of before.
      await reads.idle()
      for (const [name, entry] of entries) {
        if (pending.get(name) !== entry) continue
        pending.delete(name)
        if (isStored && !UNCACHED.has(name.slice(0, name.indexOf(' ')))) cache.set(name, inOwnMemory(entry))
      }
    }
  }

  async function set(data: SignalDataSet): Promise<void> {
    for (const [type, values] of Object.entries(data))
      for (const id of Object.keys(values ?? {})) records.drop(type, id)
    write(data)
  }

  return {
    get,
    set,
    write,
    received: async (hash) => arriving.get(hash) ?? (await guarded(inbox.find(hash))),
    track,
    guarded,
    settled: async () => {
      signal.throwIfAborted()
      await writes
    },
  }
}

function decodedOf(type: string, entry: Entry): unknown {
  if (!SHARED.has(type)) return decodeKey(type, entry.value)
  entry.decoded ??= Object.freeze(decodeKey(type, entry.value))
  return entry.decoded
}

/** A value of a hundred bytes in Buffer's pool would keep 8 kB alive. */
function inOwnMemory({ value }: Entry): Entry {
  return { value: unpooled(value) }
}
