import { createInterval, gatewayError, type Kernel, type Row, writeBehind } from 'wamux/plugin'
import { fromRow, hashOf, isSecret, type Key, newSecret, toRow } from './key.ts'

/** A key in use in this process. */
export interface KnownKey {
  readonly key: Key
  /** Aborted when the secret by which it was found becomes invalid. */
  readonly ended: AbortSignal
}

export interface AccessKeyStore {
  /** Stores a new key; its secret is shown only once. */
  create(
    key: Omit<Key, 'id' | 'hash' | 'old' | 'hint' | 'createdAt' | 'lastUse'>,
    id: string,
  ): Promise<NewKey>
  /** The valid key with that secret, which is recorded as used now. */
  find(secret: string): Promise<KnownKey | undefined>
  /** Whether the key of a caller (`key:<Id>`) is still valid: things that it created may end with it. */
  isValid(caller: string): Promise<boolean>
  /** Newest first. @param owner only keys created with the token of this session */
  list(owner: string | undefined): Promise<Key[]>
  /** Rejects ITEM_UNKNOWN. */
  rotate(id: string, owner: string | undefined, graceMs: number): Promise<NewKey>
  /** Rejects ITEM_UNKNOWN. */
  revoke(id: string, owner: string | undefined): Promise<void>
  /** Revokes the keys created with the session's token; resolves with their number. */
  revokeOf(session: string): Promise<number>
  start(): void
  stop(): Promise<void>
}

export interface NewKey {
  readonly key: Key
  readonly secret: string
}

interface CachedKey extends KnownKey {
  readonly end: AbortController
  /** Hash of the secret by which it was found. */
  readonly hash: string
}

/** Announces to other processes that keys were changed or removed. */
const CHANGED_TOPIC = 'keys'
/** If a notification is lost, changes by other processes take effect after this time. */
const REFRESH_MS = 3_000
const LAST_USE_MS = 60_000

type Deps = Pick<Kernel<unknown>, 'db' | 'vault' | 'log' | 'peers'>

/**
 * Used keys are kept in memory. Other processes may change the table: it is checked for changes every few seconds, and a key
 * that is not in memory is always looked up.
 */
export function createKeyStore({ db, vault, log, peers }: Deps): AccessKeyStore {
  const table = db.table('keys')
  const known = new Map<string, CachedKey>()
  let version = ''

  const isValid = ({ hash, old, expiresAt = Number.POSITIVE_INFINITY }: Key, by: string): boolean =>
    Date.now() < expiresAt && (hash === by || (old?.hash === by && Date.now() < old.until))
  const drop = (entry: CachedKey): void => {
    known.delete(entry.hash)
    entry.end.abort(gatewayError('TOKEN_INVALID'))
  }

  async function readVersion(): Promise<string> {
    const row = await db.read(table).count({ rows: '*' }).max({ at: 'changed_at' }).first()
    return `${row?.['rows']} ${row?.['at']}`
  }

  /** Drops invalid and changed keys, which are then looked up again. */
  async function refresh(): Promise<void> {
    for (const entry of known.values()) if (!isValid(entry.key, entry.hash)) drop(entry)
    if (known.size === 0) return
    const now = await readVersion()
    if (now === version) return
    const rows = await db.read<Row>(table).whereIn(
      'id',
      [...known.values()].map(({ key }) => key.id),
    )
    const keys = new Map(rows.map((row) => [String(row['id']), fromRow(vault, row)]))
    for (const entry of known.values()) {
      const key = keys.get(entry.key.id)
      if (key && isValid(key, entry.hash)) known.set(entry.hash, { ...entry, key })
      else drop(entry)
    }
    version = now
  }

  async function byId(id: string, owner: string | undefined): Promise<Key> {
    const row = await db.read<Row>(table).where({ id }).first()
    const key = row && fromRow(vault, row)
    if (!key || (owner !== undefined && key.owner !== owner)) throw gatewayError('ITEM_UNKNOWN', ['Key'])
    return key
  }

  async function remove(keys: readonly Key[]): Promise<void> {
    await db.write([
      db.remove(
        'keys',
        ['id'],
        keys.map(({ id }) => ({ id })),
      ),
    ])
    peers.notify(CHANGED_TOPIC)
    const ids = new Set(keys.map(({ id }) => id))
    for (const { id, owner } of keys) log.info({ session: owner, key: id }, 'key revoked')
    for (const entry of known.values()) if (ids.has(entry.key.id)) drop(entry)
  }

  async function list(owner: string | undefined): Promise<Key[]> {
    const query = db.read<Row>(table).orderBy('created_at', 'desc')
    if (owner !== undefined) query.where({ owner })
    const keys = (await query).map((row) => fromRow(vault, row))
    return keys.map((key) => ({ ...key, lastUse: uses.pending(key.id) ?? key.lastUse }))
  }

  const failed = (what: string) => (error: unknown) => log.warn({ err: error }, what)
  const refreshFailed = failed('reading changed keys failed')
  const refreshing = createInterval(REFRESH_MS, refresh, refreshFailed)
  let unlisten = (): void => undefined
  /** Times of the last use by key id, which are not stored with each request. */
  const uses = writeBehind<number>({
    delayMs: LAST_USE_MS,
    write: (times, isDeferred) => {
      const rows = [...times].map(([id, last_use]) => ({ id, last_use }))
      return db.write([db.update('keys', ['id'], rows)], { isDeferred })
    },
    onError: failed('storing the last use of keys failed'),
    retry: { first: LAST_USE_MS, most: LAST_USE_MS },
  })

  return {
    async create(fields, id) {
      const { secret, hash, hint } = newSecret()
      const key: Key = {
        ...fields,
        id,
        hash,
        hint,
        old: undefined,
        createdAt: Date.now(),
        lastUse: undefined,
      }
      await db.write([db.put('keys', ['id'], [toRow(vault, key)])])
      log.info({ session: key.owner, key: id, scopes: key.scopes }, 'key created')
      return { key, secret }
    },
    async find(secret) {
      if (!isSecret(secret)) return undefined
      const hash = hashOf(secret)
      let entry = known.get(hash)
      if (!entry) {
        const row = await db.read<Row>(table).where({ hash }).orWhere({ old_hash: hash }).first()
        if (!row) return undefined
        const end = new AbortController()
        entry = known.get(hash) ?? { key: fromRow(vault, row), hash, end, ended: end.signal }
        known.set(hash, entry)
      }
      if (!isValid(entry.key, hash)) {
        drop(entry)
        return undefined
      }
      uses.add(entry.key.id, Date.now())
      return entry
    },
    async isValid(caller) {
      const id = /^key:(.+)$/.exec(caller)?.[1]
      const row = id && (await db.read<Row>(table).where({ id }).first())
      const { expiresAt = Number.POSITIVE_INFINITY } = row ? fromRow(vault, row) : { expiresAt: 0 }
      return Date.now() < expiresAt
    },
    list,
    async rotate(id, owner, graceMs) {
      const before = await byId(id, owner)
      const { secret, hash, hint } = newSecret()
      const old = graceMs > 0 ? { hash: before.hash, until: Date.now() + graceMs } : undefined
      const key: Key = { ...before, hash, hint, old }
      await db.write([db.update('keys', ['id'], [toRow(vault, key)])])
      peers.notify(CHANGED_TOPIC)
      for (const entry of known.values())
        if (entry.key.id === id) {
          if (isValid(key, entry.hash)) known.set(entry.hash, { ...entry, key })
          else drop(entry)
        }
      log.info({ session: key.owner, key: id, graceMs }, 'key replaced')
      return { key, secret }
    },
    revoke: async (id, owner) => remove([await byId(id, owner)]),
    async revokeOf(session) {
      const keys = await list(session)
      if (keys.length > 0) await remove(keys)
      return keys.length
    },
    start() {
      refreshing.start()
      unlisten = peers.listen(CHANGED_TOPIC, () => void refresh().catch(refreshFailed))
    },
    async stop() {
      unlisten()
      await refreshing.stop()
      await uses.close()
    },
  }
}
