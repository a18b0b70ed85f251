import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { gatewayError, isGatewayError, reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import { PostgresClient, SqliteClient } from './clients.ts'
import { holdLock } from './lock.ts'
import { assertNoPooler } from './pooler.ts'
import { openPostgresConnection } from './postgres-connection.ts'
import { holdPostgres } from './postgres-lock.ts'
import { makePrivate } from './private-file.ts'
import { openSqliteConnection } from './sqlite-connection.ts'
import { createTurns, type Turns } from './turns.ts'

export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /** Other processes may write to it too. */
  readonly isShared: boolean
  /** What an operator knows it by; never holds a password. */
  readonly label: string
  /** For reading outside transactions. */
  readonly read: Knex
  /** For migrations and for work of plugins that reads and writes. */
  readonly main: Knex
  /** For connections beside the pool that stay the same, such as one that listens: to the server itself, past a pooler. */
  readonly direct: Knex
  /** For the writer only. */
  readonly turns: Turns
  /** Resolves when another process holds the lock: nothing in memory is valid any more. */
  readonly lockLost: Promise<void>
  /** Removes deleted rows from the disk as well, where the engine can. */
  scrub(): Promise<void>
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** `postgres://…`; absent means SQLite in `dataDir`. */
  url?: string | undefined
  /** Of the server itself, where `url` is that of a pooler in transaction mode. */
  directUrl?: string | undefined
  dataDir: string
  /** PostgreSQL schema, made when missing. */
  schema?: string | undefined
  /** Other processes may use it too, if they also share it; PostgreSQL only. */
  isShared?: boolean
  log?: Log
}

/** Opens the database; rejects DATABASE_LOCKED when another process uses it that may not use it beside this one. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url) return openPostgres(options.url, options)
  if (options.isShared)
    throw gatewayError('DATABASE_FAILED', [
      options.dataDir,
      'SQLite is for one process; set DATABASE_URL, or switch off the plugin that shares the database',
    ])
  return openSqlite(options.dataDir)
}

async function openSqlite(dataDir: string): Promise<Database> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'wamux.sqlite')
  const release = await holdLock(file)
  makePrivate(file)
  const pragmas = [
    'PRAGMA journal_mode = WAL',
    // FULL: a power cut must not roll back key material that was already used.
    'PRAGMA synchronous = FULL',
    'PRAGMA wal_autocheckpoint = 4000',
    'PRAGMA foreign_keys = ON',
    // Deleted rows are overwritten, so that a wrapped key can't be read from a free page.
    'PRAGMA secure_delete = ON',
    'PRAGMA busy_timeout = 5000',
  ]
  const main = sqlite(file, { min: 1, max: 1 }, pragmas)
  // Opened when the first turn comes, after the migrations.
  const turns = createTurns(() => openSqliteConnection(file, pragmas))
  // A second pool: on the only connection, a plain query during a transaction would wait for itself.
  const read = sqlite(file, { min: 0, max: 2 }, ['PRAGMA query_only = ON', 'PRAGMA busy_timeout = 5000'])
  const close = async (): Promise<void> => {
    await turns.close()
    await read.destroy()
    await main.destroy()
    await release()
  }
  try {
    await main.raw('SELECT 1')
  } catch (cause) {
    await close()
    throw gatewayError('DATABASE_FAILED', [file, reasonOf(cause)], { cause })
  }
  // The operating system keeps the lock for as long as the file is open.
  const lockLost = new Promise<void>(() => undefined)
  const scrub = async (): Promise<void> => {
    await main.raw('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  return {
    ...{ dialect: 'sqlite', isShared: false, label: file, read, main, direct: main, turns, lockLost },
    scrub,
    close,
  }
}

/** Keeps knex from writing to the console: whatever it reports is also rejected with. */
const silent = {
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
  deprecate: () => undefined,
}

/** Longer than retention takes for a large deletion. */
const QUERY_TIMEOUT_MS = 120_000
/** A request that waits for a connection is answered after this time, not after knex's default of a minute. */
const ACQUIRE_TIMEOUT_MS = 10_000

async function openPostgres(
  url: string,
  { directUrl, schema, isShared = false, log }: DatabaseOptions,
): Promise<Database> {
  const label = url.replace(/\/\/[^@/]*@/, '//')
  const main = postgres(url, schema)
  const direct = directUrl ? postgres(directUrl, schema) : main
  const destroy = async (): Promise<void> => {
    await main.destroy()
    if (direct !== main) await direct.destroy()
  }
  try {
    if (schema) await direct.raw('CREATE SCHEMA IF NOT EXISTS ??', [schema])
    if (direct === main) await assertNoPooler(main, label)
    const { lost, release } = await holdPostgres(direct, { label, isShared, log })
    // A pooler gives each transaction another connection, which does not know what was prepared on the last one.
    const turns = createTurns(() => openPostgresConnection(main, { isPooled: direct !== main }))
    const close = async (): Promise<void> => {
      await turns.close()
      await destroy()
      await release()
    }
    // Old row versions and the WAL are left to PostgreSQL's own maintenance.
    const scrub = async (): Promise<void> => undefined
    return {
      ...{ dialect: 'postgres', isShared, label, read: main, main, direct, turns, lockLost: lost },
      scrub,
      close,
    }
  } catch (cause) {
    await destroy()
    if (isGatewayError(cause)) throw cause
    throw gatewayError('DATABASE_FAILED', [label, reasonOf(cause)], { cause })
  }
}

function postgres(url: string, schema: string | undefined): Knex {
  return knex({
    client: PostgresClient,
    compileSqlOnError: false,
    log: silent,
    connection: {
      connectionString: url,
      connectionTimeoutMillis: 5000,
      // Without it, a query on a dead connection waits for as long as the operating system retransmits.
      query_timeout: QUERY_TIMEOUT_MS,
      // Detects a connection that the network has dropped.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
    ...(schema ? { searchPath: [schema] } : {}),
    pool: { min: 0, max: 8, acquireTimeoutMillis: ACQUIRE_TIMEOUT_MS },
  })
}

interface RawConnection {
  run(sql: string, done: (error: Error | null) => void): void
}

function sqlite(filename: string, pool: { min: number; max: number }, pragmas: readonly string[]): Knex {
  return knex({
    client: SqliteClient,
    log: silent,
    connection: { filename },
    useNullAsDefault: true,
    // Errors are logged, and may hold the statement, but not its values.
    compileSqlOnError: false,
    pool: {
      ...pool,
      afterCreate(connection: RawConnection, done: (error: Error | null) => void) {
        const next = (index: number): void => {
          const pragma = pragmas[index]
          if (pragma === undefined) done(null)
          else connection.run(pragma, (error) => (error ? done(error) : next(index + 1)))
        }
        next(0)
      },
    },
  })
}
