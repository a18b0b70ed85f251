import type { Knex } from 'knex'

export type Row = Record<string, string | number | boolean | Buffer | null | undefined>

/** One declarative change. The writer merges equal tables of one commit into few statements. */
export interface Write {
  readonly table: string
  readonly key: readonly string[]
  readonly rows: readonly Row[]
  /**
   * `put` inserts a row or overwrites the given columns, `add` keeps a row that is there, `update` changes
   * the given columns of a row that is there, `remove` deletes by key.
   */
  readonly mode: 'put' | 'add' | 'update' | 'remove'
  /** Columns that `add` returns of the rows it really inserted, its key among them; nothing when absent. */
  readonly returning?: readonly string[]
}

export interface WriteOptions {
  /**
   * For writes that build on each other: once it is aborted, those that are not committed yet are never written, and
   * reject with its reason.
   */
  readonly signal?: AbortSignal
  /** Joins another commit, or commits within 25 ms: for writes that come in numbers and that no request waits for. */
  readonly isDeferred?: boolean
  /**
   * For rows with a column `session` that a process may write without owning that session: what is asked for, and does
   * not build on what the session's link does.
   */
  readonly isFromAnyNode?: boolean
}

export interface WorkOptions {
  /** Whose rows it writes: it is rolled back unless this process owns that session. */
  readonly session?: string
}

/** A plugin's storage; every table name gets the plugin's prefix. */
export interface PluginDb {
  /** For reading, outside any transaction. Never sees uncommitted rows. */
  readonly read: Knex
  /** For connections of its own beside the pool, such as one that listens: to the server itself where a pooler is between. */
  readonly direct: Knex
  /** `deliveries` → `webhook_deliveries`. */
  table(name: string): string
  /**
   * Milliseconds since 1970, for times that rows keep and that another process may compare: where several share the database
   * it is the database's clock, not this machine's.
   */
  now(): number
  put(table: string, key: readonly string[], rows: readonly Row[]): Write
  add(table: string, key: readonly string[], rows: readonly Row[]): Write
  update(table: string, key: readonly string[], rows: readonly Row[]): Write
  remove(table: string, key: readonly string[], rows: readonly Row[]): Write
  /** Commits all of them or none, together with other writes that are queued. Resolves after the commit. */
  write(writes: readonly Write[], options?: WriteOptions): Promise<void>
  /** Runs reads and conditional updates in one transaction. Keep it short: other writes queue behind it. */
  transact<T>(work: (trx: Knex.Transaction) => Promise<T>, options?: WorkOptions): Promise<T>
}

/**
 * Encryption at rest under a key of each session; deleting a session destroys its key. Personal data is either sealed, to
 * be read back, or indexed, to be looked up.
 */
export interface Vault {
  /**
   * AES-256-GCM. With '' for the session, under the active master key itself, for data of no session: seal such data
   * anew at each start, because the operator may remove a master key that is no longer the active one.
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
