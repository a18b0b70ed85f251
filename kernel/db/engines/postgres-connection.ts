import type { Knex } from 'knex'
import type { Row } from '../../types/storage.ts'
import { createPipeline, type Pipeline, type PipelineParts } from './postgres-pipeline.ts'
import type { WriteConnection } from './write-connection.ts'

/** What is used of a client of pg. */
interface Client {
  query(script: string): Promise<unknown>
  query(pipeline: Pipeline, callback: (error: Error | null, rows?: Row[][]) => void): unknown
  getTypeParser: PipelineParts['parserOf']
  on(event: 'error', listener: () => void): unknown
  end(): Promise<void>
}

/** Statements kept on one connection of the server; others are parsed each time. */
const MAX_PREPARED = 500

/**
 * Opens a connection beside the pool of `main`, with its settings.
 *
 * @param isPooled its transactions run on different connections of the server: nothing is kept prepared.
 */
export async function openPostgresConnection(
  main: Knex,
  { isPooled }: { isPooled: boolean },
): Promise<WriteConnection> {
  const client = (await main.client.acquireRawConnection()) as Client
  // A connection that breaks between two transactions fails the next one; without a listener it would end the process.
  client.on('error', () => undefined)
  // Rows are written by their key. The plan of a prepared statement lasts: made while a table is small, it would read the
  // whole table for ever after where nothing analyzes it, and for the first minutes where autovacuum does.
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

  return {
    dialect: 'postgres',
    commit: (statements) =>
      new Promise((resolve, reject) => {
        void client.query(createPipeline(statements, parts), (error, rows = []) =>
          error ? reject(error) : resolve(rows),
        )
      }),
    // The server has rolled back what failed.
    reset: async () => undefined,
    close: () => client.end(),
  }
}
