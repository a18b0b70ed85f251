import type { Knex } from 'knex'
import { gatewayError } from '../../errors.ts'

/** What is used of a connection of pg. */
interface Connection {
  /** Id of the process that serves the connection, as the accepting server reports it: a pooler invents one. */
  readonly processID: number | null
  query(sql: string): Promise<{ rows: { pid: number }[] }>
  end(): Promise<void>
}

/**
 * Rejects DATABASE_POOLED if `main` reaches PostgreSQL through a pooler that gives each transaction another connection: a lock
 * of a session would be lost there, and notifications would not arrive.
 */
export async function assertNoPooler(main: Knex, label: string): Promise<void> {
  const open = async (): Promise<Connection> => main.client.acquireRawConnection()
  const connections = [await open()]
  try {
    const [first] = connections
    const pid = await pidOf(first)
    if (first?.processID === pid) return
    connections.push(await open())
    // Two connections that are open side by side, and one process of the server.
    if ((await pidOf(connections[1])) === pid) throw gatewayError('DATABASE_POOLED', [label])
  } finally {
    await Promise.all(connections.map((one) => one.end().catch(() => undefined)))
  }
}

async function pidOf(connection: Connection | undefined): Promise<number | undefined> {
  return (await connection?.query('SELECT pg_backend_pid() AS pid'))?.rows[0]?.pid
}
