import type { Knex } from 'knex'
import type { Fence } from '../types/ownership.ts'
import type { Row, Write } from '../types/storage.ts'

/** An open database, as an engine provides it (engines/). */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /** Other processes may write to it too. */
  readonly isShared: boolean
  /** Display name for operators; never contains a password. */
  readonly label: string
  /** For reading outside transactions. */
  readonly read: Knex
  /** For migrations and for work of plugins that reads and writes. */
  readonly main: Knex
  /** For long-lived connections outside the pool, like a listening one: they go to the server itself, bypassing a pooler. */
  readonly direct: Knex
  /** For the writer only. */
  readonly turns: Turns
  /** Milliseconds since 1970, by a clock common to all processes that share the database. */
  now(): number
  /** Resolves when another process holds the lock: all state in memory is then stale. */
  readonly lockLost: Promise<void>
  /** Also removes deleted rows from the disk, if the engine can. */
  scrub(): Promise<void>
  close(): Promise<void>
}

/** Commits turns of the writer, one after the other. */
export interface Turns {
  /**
   * Commits the writes of all jobs in one transaction. Rejects when none is committed, or when the connection was lost
   * during COMMIT and the outcome is unknown.
   *
   * @param fences run first, and fail if the writes must not be committed.
   * @returns per job the columns that its `add` writes request of inserted rows.
   */
  commit(jobs: readonly (readonly Write[])[], fences?: readonly Fence[]): Promise<Row[][]>
  close(): Promise<void>
}
