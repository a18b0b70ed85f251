import knex, { type Knex } from 'knex'
import { isGatewayError, isStorageError } from '../../errors.ts'
import type { Log } from '../../types/driver.ts'
import type { Database } from '../database.ts'
import { PostgresClient, silent } from './clients.ts'
import { OWN_CLOCK, openPostgresClock } from './clock.ts'
import { assertNoPooler } from './pooler.ts'
import { openPostgresConnection } from './postgres-connection.ts'
import { holdPostgres } from './postgres-lock.ts'
import { openError } from './storage-error.ts'
import { createTurns } from './turns.ts'

export interface PostgresOptions {
  directUrl?: string | undefined
  schema?: string | undefined
  isShared?: boolean
  log?: Log
}

/** Longer than a large deletion by retention takes. */
const QUERY_TIMEOUT_MS = 120_000
/** Limits a request's wait for a connection, for which knex allows a minute by default. */
const ACQUIRE_TIMEOUT_MS = 10_000

/** Opens PostgreSQL and creates a missing schema. */
export async function openPostgres(
  url: string,
  { directUrl, schema, isShared = false, log }: PostgresOptions,
): Promise<Database> {
  const label = url.replace(/\/\/[^@/]*@/, '//')
  const main = poolOf(url, schema)
  const direct = directUrl ? poolOf(directUrl, schema) : main
  const isPooled = direct !== main
  const destroy = async (): Promise<void> => {
    await main.destroy()
    if (isPooled) await direct.destroy()
  }
  try {
    if (schema) await direct.raw('CREATE SCHEMA IF NOT EXISTS ??', [schema])
    if (!isPooled) await assertNoPooler(main, label)
    const { lost, release } = await holdPostgres(direct, { label, isShared, log })
    const clock = isShared ? await openPostgresClock(main) : OWN_CLOCK
    // A pooler gives each transaction another connection, which lacks the statements prepared on the last one.
    const turns = createTurns(() => openPostgresConnection(main, { isPooled }))
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

function poolOf(url: string, schema: string | undefined): Knex {
  return knex({
    client: PostgresClient,
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
    },
    ...(schema ? { searchPath: [schema] } : {}),
    pool: { min: 0, max: 8, acquireTimeoutMillis: ACQUIRE_TIMEOUT_MS },
  })
}
