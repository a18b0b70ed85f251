import knex, { type Knex } from 'knex'
import { gatewayError, isGatewayError, isStorageError } from '../../errors.ts'
import type { Log } from '../../types/driver.ts'
import type { Database } from '../database.ts'
import { limitedPostgresClient, PostgresClient, silent } from './clients.ts'
import { OWN_CLOCK, openPostgresClock } from './clock.ts'
import { openPostgresConnection } from './postgres-connection.ts'
import type { PostgresLimits } from './postgres-limits.ts'
import { holdPostgres } from './postgres-lock.ts'
import { openError } from './storage-error.ts'
import { createTurns } from './turns.ts'

export interface PostgresOptions {
  directUrl?: string | undefined
  schema?: string | undefined
  isShared?: boolean
  limits?: PostgresLimits | undefined
  log?: Log
}

const POOL = 8
/** A node has 9 connections, including lock, lease and writer: ten nodes fit into PostgreSQL's default of 100. */
const SHARED_POOL = 6
/** Longer than the server runs a statement. */
const QUERY_TIMEOUT_MS = 120_000
/** Limits a request's wait for a connection, for which knex allows a minute by default. */
const ACQUIRE_TIMEOUT_MS = 10_000

/** Opens PostgreSQL and creates a missing schema. */
export async function openPostgres(
  url: string,
  { directUrl, schema, isShared = false, limits, log }: PostgresOptions,
): Promise<Database> {
  const label = url.replace(/\/\/[^@/]*@/, '//')
  const pools = { schema, limits, isShared }
  const main = poolOf(url, { ...pools, isPooled: directUrl !== undefined })
  const direct = directUrl ? poolOf(directUrl, pools) : main
  const isPooled = direct !== main
  const destroy = async (): Promise<void> => {
    await main.destroy()
    if (isPooled) await direct.destroy()
  }
  try {
    if (schema) await direct.raw('CREATE SCHEMA IF NOT EXISTS ??', [schema])
    if (!isPooled) await assertNoPooler(main, label)
    const { lost, release } = await holdPostgres(direct, {
      label,
      isShared,
      application: limits?.application,
      log,
    })
    const clock = isShared ? await openPostgresClock(main) : OWN_CLOCK
    // A pooler gives each transaction another connection, which lacks the statements prepared on the last one.
    const turns = createTurns(() => openPostgresConnection(main, { isPooled, limits }))
    const close = async (): Promise<void> => {
      await clock.stop()
      await turns.close()
      await destroy()
      await release()
    }
    // Old row versions and the WAL are left to PostgreSQL's own maintenance.
    const scrub = async (): Promise<void> => undefined
    const handles = { read: main, main, direct, turns, now: clock.now }
    return { dialect: 'postgres', isShared, label, ...handles, lockLost: lost, scrub, close }
  } catch (cause) {
    await destroy()
    if (isGatewayError(cause) && !isStorageError(cause)) throw cause
    throw openError(label, cause)
  }
}

interface PoolOptions extends Pick<PostgresOptions, 'schema' | 'limits' | 'isShared'> {
  /** `url` points to a pooler. */
  isPooled?: boolean
}

function poolOf(url: string, { schema, limits, isShared = false, isPooled = false }: PoolOptions): Knex {
  return knex({
    client: limits ? limitedPostgresClient(limits, isPooled) : PostgresClient,
    compileSqlOnError: false,
    log: silent,
    connection: {
      connectionString: url,
      connectionTimeoutMillis: 5000,
      // Without it, a query on a dead connection waits as long as the operating system retransmits.
      query_timeout: QUERY_TIMEOUT_MS,
      // Detects connections dropped by the network.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // The URL may set another.
      ...(limits ? { fallback_application_name: limits.application } : {}),
    },
    ...(schema ? { searchPath: [schema] } : {}),
    pool: { min: 0, max: isShared ? SHARED_POOL : POOL, acquireTimeoutMillis: ACQUIRE_TIMEOUT_MS },
  })
}

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
async function assertNoPooler(main: Knex, label: string): Promise<void> {
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
