import type { Knex } from 'knex'
import { gatewayError } from '../../errors.ts'

/** The part of a pg connection that is used here. */
interface Connection {
  /** Id of the server process, as reported when the connection was accepted: a pooler invents one. */
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
    // Two simultaneous connections with one server process prove a pooler.
    if ((await pidOf(connections[1])) === pid) throw gatewayError('DATABASE_POOLED', [label])
  } finally {
    await Promise.all(connections.map((one) => one.end().catch(() => undefined)))
  }
}

async function pidOf(connection: Connection | undefined): Promise<number | undefined> {
  return (await connection?.query('SELECT pg_backend_pid() AS pid'))?.rows[0]?.pid
}
