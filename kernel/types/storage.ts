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
  /** Columns that `add` answers of the rows that it inserted, its key among them; the key alone where it is absent. */
  readonly returning?: readonly string[]
}

/** A plugin's storage; every table name gets the plugin's prefix. */
export interface PluginDb {
  /** For reading, outside any transaction. Never sees uncommitted rows. */
  readonly read: Knex
  /** `deliveries` → `webhook_deliveries`. */
  table(name: string): string
  put(table: string, key: readonly string[], rows: readonly Row[]): Write
  add(table: string, key: readonly string[], rows: readonly Row[]): Write
  update(table: string, key: readonly string[], rows: readonly Row[]): Write
  remove(table: string, key: readonly string[], rows: readonly Row[]): Write
  /**
   * Commits all of them or none, together with whatever else is waiting. Resolves after the commit.
   *
   * @param fence of writes that build on each other: once it is aborted none of them is written that is not committed
   *   yet; they reject with its reason.
   */
  write(writes: readonly Write[], fence?: AbortSignal): Promise<void>
  /** Work that needs reads and conditional updates in the same transaction. Keep it short: writers queue behind it. */
  transact<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>
}

/**
 * Encryption at rest under a key of each session; deleting a session destroys its key. What tells of people is either
 * sealed, to be read back, or indexed, to be looked up.
 */
export interface Vault {
  /**
   * AES-256-GCM.
   *
   * @param place table and row, e.g. `webhook_secrets/main`: what was sealed for one can't be opened at another.
   */
  seal(session: string, place: string, plain: Buffer | string): Buffer
  /** Throws when it was changed, or the session is gone. */
  open(session: string, place: string, sealed: Buffer): Buffer
  /**
   * 22 characters of an HMAC-SHA-256, equal for equal values: for columns that are looked up or compared, and tell
   * nothing. No way leads back from it, so what must be shown again is sealed beside it.
   *
   * @param place table and column, e.g. `crm_customers/email`: two columns can't be joined by what they hold.
   */
  index(session: string, place: string, value: string): string
}

export interface Migration {
  up(knex: Knex): Promise<void>
  down(knex: Knex): Promise<void>
}
