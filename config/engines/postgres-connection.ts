import type { Knex } from 'knex'
import type { Row } from '../../kernel/types/storage.ts'
import { inline } from './inline.ts'
import type { Value } from './statements.ts'
import type { WriteConnection } from './write-connection.ts'

/** What is used of a client of pg. */
interface Client {
  query(query: { name?: string; text: string; values: readonly unknown[] }): Promise<{ rows: Row[] }>
  query(script: string): Promise<{ rows: Row[] }[]>
  escapeLiteral(text: string): string
  on(event: 'error', listener: () => void): unknown
  end(): Promise<void>
}

/** Statements kept on one connection of the server; others are sent without a name. */
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
  // A connection that breaks between two statements fails the next one; without a listener it would end the process.
  client.on('error', () => undefined)
  // Rows are written by their key. The plan of a prepared statement lasts: made while a table is small, it would read the
  // whole table for ever after where nothing analyzes it, and for the first minutes where autovacuum does.
  if (!isPooled) await client.query('SET enable_seqscan = off')
  const named = new Map<string, string>()

  function nameOf(text: string): string | undefined {
    const known = named.get(text)
    if (known || isPooled || named.size >= MAX_PREPARED) return known
    const name = `w${named.size}`
    named.set(text, name)
    return name
  }

  function literal(value: Value): string {
    if (Buffer.isBuffer(value)) return client.escapeLiteral(`\\x${value.toString('hex')}`)
    return typeof value === 'string' ? client.escapeLiteral(value) : String(value ?? 'NULL')
  }

  return {
    dialect: 'postgres',
    async run({ sql, values }) {
      const { text } = sql
      const name = nameOf(text)
      const { rows } = await client.query({ ...(name ? { name } : {}), text, values })
      return rows
    },
    // By PostgreSQL's simple protocol, which is one round trip and stops at the first statement that fails.
    async runTogether(statements) {
      const results = await client.query(statements.map((one) => inline(one, literal)).join(';'))
      return results.map(({ rows }) => rows)
    },
    close: () => client.end(),
  }
}
