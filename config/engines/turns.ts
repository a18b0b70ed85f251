import { withTimeout } from '../../kernel/async/time-out.ts'
import type { Turns } from '../../kernel/db/database.ts'
import type { Row, Write } from '../../kernel/types/storage.ts'
import { isInlinable } from './inline.ts'
import { identify, mergeWrites } from './merge.ts'
import { plain, prepared, type Statement, statementsOf } from './statements.ts'
import { storageError } from './storage-error.ts'
import type { WriteConnection } from './write-connection.ts'

const BEGIN = { sqlite: plain('BEGIN IMMEDIATE'), postgres: plain('BEGIN') }
const COMMIT = plain('COMMIT')
const ROLLBACK = plain('ROLLBACK')
/** How long the end of the last connection is awaited. */
const CLOSE_MS = 2_000

type Fence = Parameters<typeof prepared>[0]

/** Turns on a connection that is opened again when it was lost. */
export function createTurns(open: () => Promise<WriteConnection>): Turns {
  let connection: WriteConnection | undefined

  /** Not awaited after a failure: the end of a connection to a server that went silent may never come. */
  async function drop(): Promise<void> {
    const last = connection
    connection = undefined
    await last?.close().catch(() => undefined)
  }

  async function run(
    to: WriteConnection,
    jobs: readonly (readonly Write[])[],
    fence: Fence | undefined,
  ): Promise<Row[][]> {
    const inserted: Row[][] = jobs.map(() => [])
    const parts = mergeWrites(jobs).flatMap((batch) =>
      statementsOf(batch, to.dialect).map((statement) => ({ batch, statement })),
    )
    const before = [BEGIN[to.dialect], ...(fence ? [prepared(fence)] : [])]
    const statements = [...before, ...parts.map(({ statement }) => statement), COMMIT]
    const all = isInlinable(statements) ? await to.runTogether(statements) : await runEach(to, statements)
    const results = all.slice(before.length)
    for (const [index, { batch }] of parts.entries()) {
      for (const row of results[index] ?? []) {
        const owner = batch.owners.get(identify(batch.key, row))
        if (owner !== undefined) inserted[owner]?.push(row)
      }
    }
    return inserted
  }

  return {
    async commit(jobs, fence) {
      try {
        connection ??= await open()
        return await run(connection, jobs, fence)
      } catch (error) {
        const failure = storageError(error)
        // Nothing is known of a connection that failed; a statement that is wrong leaves it as it was.
        if (failure) void drop()
        else await connection?.run(ROLLBACK).catch(drop)
        throw failure ?? error
      }
    },
    close: () => withTimeout(drop(), CLOSE_MS, () => undefined),
  }
}

async function runEach(to: WriteConnection, statements: readonly Statement[]): Promise<Row[][]> {
  const results: Row[][] = []
  for (const statement of statements) results.push(await to.run(statement))
  return results
}
