import type { Row } from '../../kernel/types/storage.ts'
import type { Dialect, Statement } from './statements.ts'

/** A connection of the writer's own that keeps its statements prepared; knex would cost five times the CPU. */
export interface WriteConnection {
  readonly dialect: Dialect
  /**
   * Runs one statement; to be awaited before the next.
   *
   * @returns the rows of RETURNING
   */
  run(statement: Statement): Promise<Row[]>
  /**
   * Runs statements in their order, up to the first that fails, with their values in the text (`isInlinable`) and as few
   * round trips as the driver allows.
   *
   * @returns the rows of each
   */
  runTogether(statements: readonly Statement[]): Promise<Row[][]>
  close(): Promise<void>
}
