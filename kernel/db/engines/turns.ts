import { withTimeout } from '../../async/time-out.ts'
import type { Fence } from '../../types/ownership.ts'
import type { Row, Write } from '../../types/storage.ts'
import type { Turns } from '../database.ts'
import { identify, mergeWrites } from './merge.ts'
import { type Statement, statementsOf } from './statements.ts'
import { storageError } from './storage-error.ts'
import type { WriteConnection } from './write-connection.ts'

/** How long to wait for the last connection to close. */
const CLOSE_MS = 2_000

/** Runs turns on one connection, which it reopens after a loss. */
export function createTurns(open: () => Promise<WriteConnection>): Turns {
  let connection: WriteConnection | undefined

  /** Not awaited after a failure: closing a connection to a silent server may never end. */
  async function drop(): Promise<void> {
    const last = connection
    connection = undefined
    await last?.close().catch(() => undefined)
  }

  async function run(
    to: WriteConnection,
    jobs: readonly (readonly Write[])[],
    fences: readonly Fence[],
  ): Promise<Row[][]> {
    const inserted: Row[][] = jobs.map(() => [])
    const parts = mergeWrites(jobs).flatMap((batch) =>
      statementsOf(batch, to.dialect).map((statement) => ({ batch, statement })),
    )
    const all = await to.commit([...fences.map(fenced), ...parts.map(({ statement }) => statement)])
    const results = all.slice(fences.length)
    for (const [index, { batch }] of parts.entries()) {
      for (const row of results[index] ?? []) {
        const owner = batch.owners.get(identify(batch.key, row))
        if (owner !== undefined) inserted[owner]?.push(row)
      }
    }
    return inserted
  }

  return {
    async commit(jobs, fences = []) {
      try {
        connection ??= await open()
        return await run(connection, jobs, fences)
      } catch (error) {
        const failure = storageError(error)
        // The state of a failed connection is unknown; a wrong statement leaves the connection intact.
        if (failure && failure.code !== 'STORAGE_LOCKED') void drop()
        else await connection?.reset().catch(drop)
        throw failure ?? error
      }
    },
    close: () => withTimeout(drop(), CLOSE_MS, () => undefined),
  }
}

function fenced({ text, values }: Fence): Statement {
  return { sql: text, values, rows: 0, isReturning: false }
}
