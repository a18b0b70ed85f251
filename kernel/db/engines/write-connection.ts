import type { Row } from '../../types/storage.ts'
import type { Dialect, Statement } from './statements.ts'

/** The writer's own connection, which keeps its statements prepared; knex would cost five times the CPU. */
export interface WriteConnection {
  readonly dialect: Dialect
  /**
   * Commits statements in one transaction, which ends at the first failure.
   *
   * @returns the rows of each statement that requests them
   */
  commit(statements: readonly Statement[]): Promise<Row[][]>
  /** Prepares it for the next transaction after a failed one. */
  reset(): Promise<unknown>
  close(): Promise<void>
}
