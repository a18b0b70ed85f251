import type { Knex } from 'knex'
import type { Row } from '../../types/storage.ts'
import { combine } from './postgres-combine.ts'
import type { PostgresLimits } from './postgres-limits.ts'
import { createPipeline, type Pipeline, type PipelineParts } from './postgres-pipeline.ts'
import { plain } from './statements.ts'
import type { WriteConnection } from './write-connection.ts'

/** The part of a pg client that is used here. */
interface Client {
  query(script: string): Promise<unknown>
  query(pipeline: Pipeline, callback: (error: Error | null, rows?: Row[][]) => void): unknown
  getTypeParser: PipelineParts['parserOf']
  on(event: 'error', listener: () => void): unknown
  end(): Promise<void>
}

/** Prepared statements kept per connection; others are parsed each time. */
const MAX_PREPARED = 500

/**
 * Opens a connection outside the pool of `main`, with its settings.
 *
 * @param isPooled its transactions run on different server connections: no statement stays prepared.
 */
export async function openPostgresConnection(
  main: Knex,
  { isPooled, limits }: { isPooled: boolean; limits?: PostgresLimits | undefined },
): Promise<WriteConnection> {
  const client = (await main.client.acquireRawConnection()) as Client
  // If the connection breaks between two transactions, the next one fails; without a listener the error would end the
  // process.
  client.on('error', () => undefined)
  // Rows are written by their key. The plan of a prepared statement is kept: one made while the table was small would scan
  // the whole table for ever if nothing analyzes it, and for the first minutes if autovacuum does.
  if (!isPooled) await client.query('SET enable_seqscan = off')
  const prepared = new Map<string, string>()
  let last = 0
  const parts: PipelineParts = {
    prepared,
    newName() {
      if (isPooled || prepared.size >= MAX_PREPARED) return ''
      last += 1
      return `w${last}`
    },
    parserOf: (type, format) => client.getTypeParser(type, format),
  }

  // Each transaction may run on another connection of the pooler.
  const first = isPooled && limits ? limits.set('LOCAL').split('; ').map(plain) : []

  return {
    dialect: 'postgres',
    commit: (statements) =>
      new Promise((resolve, reject) => {
        const combined = combine(statements)
        const run = [...first, ...combined.statements]
        void client.query(createPipeline(run, parts), (error, rows = []) =>
          error ? reject(error) : resolve(combined.spread(rows.slice(first.length))),
        )
      }),
    // The server has already rolled back the failed transaction.
    reset: async () => undefined,
    close: () => client.end(),
  }
}
