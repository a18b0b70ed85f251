import type { Knex } from 'knex'
import type { Fence } from '../types/ownership.ts'
import type { Row, Write } from '../types/storage.ts'

/** An open database, as an engine provides it (engines/). */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /** Other processes may write to it too. */
  readonly isShared: boolean
  /** What an operator knows it by; never holds a password. */
  readonly label: string
  /** For reading outside transactions. */
  readonly read: Knex
  /** For migrations and for work of plugins that reads and writes. */
  readonly main: Knex
  /** For connections beside the pool that stay the same, such as one that listens: to the server itself, past a pooler. */
  readonly direct: Knex
  /** For the writer only. */
  readonly turns: Turns
  /** Milliseconds since 1970, by a clock that all processes agree on which share the database. */
  now(): number
  /** Resolves when another process holds the lock: nothing in memory is valid any more. */
  readonly lockLost: Promise<void>
  /** Removes deleted rows from the disk as well, where the engine can. */
  scrub(): Promise<void>
  close(): Promise<void>
}

/** Commits turns of the writer, one after the other. */
export interface Turns {
  /**
   * Commits the writes of all jobs in one transaction. Rejects when none is committed, or when the connection was lost
   * during COMMIT and it is unknown.
   *
   * @param fences run first, and fail if the writes may not be committed.
   * @returns per job what its `add` writes ask of the rows that they inserted.
   */
  commit(jobs: readonly (readonly Write[])[], fences?: readonly Fence[]): Promise<Row[][]>
  close(): Promise<void>
}
