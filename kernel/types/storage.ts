import type { Knex } from 'knex'

export type Row = Record<string, string | number | boolean | Buffer | null | undefined>

/** One declarative change. The writer merges changes to the same table in one commit into few statements. */
export interface Write {
  readonly table: string
  readonly key: readonly string[]
  readonly rows: readonly Row[]
  /**
   * `put` inserts a row or overwrites the given columns, `add` keeps an existing row, `update` changes the given columns of
   * an existing row, `remove` deletes by key.
   */
  readonly mode: 'put' | 'add' | 'update' | 'remove'
  /** Columns that `add` returns of the rows actually inserted, including its key; nothing when absent. */
  readonly returning?: readonly string[]
}

export interface WriteOptions {
  /**
   * For dependent writes: once it is aborted, those not yet committed are never written and reject with its reason.
   */
  readonly signal?: AbortSignal
  /** Joins another commit, or commits within 25 ms: for frequent writes that no request waits for. */
  readonly isDeferred?: boolean
  /**
   * For rows with a column `session` that a process may write without owning that session: requested changes that do not
   * depend on the session's link.
   */
  readonly isFromAnyNode?: boolean
}

export interface WorkOptions {
  /** The session whose rows it writes: rolled back unless this process owns that session. */
  readonly session?: string
}

/**
 * Tells which rows of a table have changed since this process opened them. With thousands of rows, to read and decrypt all of them
 * whenever one has changed would hold up the event loop; the versions of all take a thirtieth of that (10,000 sessions).
 */
export interface KnownRows {
  /** A query for rows with their versions. */
  select(): Knex.QueryBuilder<Row, Row[]>
  /** The rows that have changed since they were noted, with those never noted, and the ids of all. */
  changed(): Promise<{ rows: Row[]; ids: ReadonlySet<string> }>
  /** Whether the row has not changed since it was noted. */
  has(row: Row): boolean
  /** Call it when the row has been opened. */
  note(row: Row): void
  /** After what was opened has changed in memory: the row is opened again when it is read next. */
  forget(id: string): void
}

/** A plugin's storage; every table name gets the plugin's prefix. */
export interface PluginDb {
  /** For reading, outside any transaction. Never sees uncommitted rows. */
  readonly read: Knex
  /** For its own connections outside the pool, for example a listening one: to the server itself, bypassing a pooler. */
  readonly direct: Knex
  /** `deliveries` → `webhook_deliveries`. */
  table(name: string): string
  /**
   * Milliseconds since 1970, for stored times that another process may compare: if several share the database, this is the
   * database's clock, not this machine's.
   */
  now(): number
  /** For a table with a key `id`, whose rows this process keeps opened. */
  knownRows(table: string): KnownRows
  put(table: string, key: readonly string[], rows: readonly Row[]): Write
  add(table: string, key: readonly string[], rows: readonly Row[]): Write
  update(table: string, key: readonly string[], rows: readonly Row[]): Write
  remove(table: string, key: readonly string[], rows: readonly Row[]): Write
  /** Commits all of them or none, together with other queued writes. Resolves after the commit. */
  write(writes: readonly Write[], options?: WriteOptions): Promise<void>
  /**
   * Deletes any number of rows in slices, each a transaction of some 100 ms, between which other writes commit. Not atomic:
   * after a crash the rest is left. Resolves with the number of deleted rows.
   */
  prune(
    table: string,
    condition: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
    options?: WorkOptions,
  ): Promise<number>
  /** Runs reads and conditional updates in one transaction. Keep it short: other writes queue behind it. */
  transact<T>(work: (trx: Knex.Transaction) => Promise<T>, options?: WorkOptions): Promise<T>
}

/**
 * Encryption at rest under a key of each session; deleting a session destroys its key. Personal data is either sealed, to be
 * read again, or indexed, to be looked up.
 */
export interface Vault {
  /**
   * AES-256-GCM. With '' for the session, under the active master key itself, for data of no session: seal such data anew at
   * each start, because the operator may remove a master key that is no longer active.
   *
   * @param place table and row, e.g. `webhook_secrets/main`: data sealed for one place can't be opened for another.
   */
  seal(session: string, place: string, plain: Buffer | string): Buffer
  /** Throws when `sealed` was changed, or the session was deleted. */
  open(session: string, place: string, sealed: Buffer): Buffer
  /**
   * 22 characters of an HMAC-SHA-256, equal for equal values: for columns that are looked up or compared. It can't be
   * reversed, so seal a value that must be read again as well.
   *
   * @param place table and column, e.g. `crm_customers/email`: equal values in two columns have different indexes.
   */
  index(session: string, place: string, value: string): string
}

export interface Migration {
  up(knex: Knex): Promise<void>
  down(knex: Knex): Promise<void>
}
