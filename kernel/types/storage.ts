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
  /** Commits all of them or none, together with whatever else is waiting. Resolves after the commit. */
  write(writes: readonly Write[]): Promise<void>
  /** Work that needs reads and conditional updates in the same transaction. Keep it short: writers queue behind it. */
  transact<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>
}

/** Encryption at rest: AES-256-GCM under a key of each session. Deleting a session destroys its key. */
export interface Vault {
  /**
   * @param place table and row, e.g. `webhook_secrets/main`: what was sealed for one can't be opened at another.
   */
  seal(session: string, place: string, plain: Buffer | string): Buffer
  /** Throws when it was changed, or the session is gone. */
  open(session: string, place: string, sealed: Buffer): Buffer
}

export interface Migration {
  up(knex: Knex): Promise<void>
  down(knex: Knex): Promise<void>
}
