import type { Knex } from 'knex'
import type { Row } from '../types/storage.ts'
import type { WriteConnection } from './write-connection.ts'

/** What is used of a client of pg. */
interface Client {
  query(query: { name?: string; text: string; values: readonly unknown[] }): Promise<{ rows: Row[] }>
  on(event: 'error', listener: () => void): unknown
  end(): Promise<void>
}

/** Statements kept on one connection of the server; others are sent without a name. */
const MAX_PREPARED = 500

/** Opens a connection beside the pool of `main`, with its settings. */
export async function openPostgresConnection(main: Knex): Promise<WriteConnection> {
  const client = (await main.client.acquireRawConnection()) as Client
  // A connection that breaks between two statements fails the next one; without a listener it would end the process.
  client.on('error', () => undefined)
  const named = new Map<string, string>()

  function nameOf(text: string): string | undefined {
    const known = named.get(text)
    if (known || named.size >= MAX_PREPARED) return known
    const name = `w${named.size}`
    named.set(text, name)
    return name
  }

  return {
    dialect: 'postgres',
    async run({ text, values }) {
      const name = nameOf(text)
      const { rows } = await client.query({ ...(name ? { name } : {}), text, values })
      return rows
    },
    close: () => client.end(),
  }
}
