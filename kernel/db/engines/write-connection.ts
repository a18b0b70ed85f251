import type { Row } from '../../types/storage.ts'
import type { Dialect, Statement } from './statements.ts'

/** A connection of the writer's own that keeps its statements prepared; knex would cost five times the CPU. */
export interface WriteConnection {
  readonly dialect: Dialect
  /**
   * Commits statements in one transaction, which ends at the first that fails.
   *
   * @returns the rows of each that asks for them
   */
  commit(statements: readonly Statement[]): Promise<Row[][]>
  /** Makes it ready for the next transaction after one that failed. */
  reset(): Promise<unknown>
  close(): Promise<void>
}
