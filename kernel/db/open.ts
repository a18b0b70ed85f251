import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { gatewayError, isGatewayError, reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import { PostgresClient, SqliteClient } from './clients.ts'
import { holdLock } from './lock.ts'
import { holdPostgres } from './postgres-lock.ts'
import { makePrivate } from './private-file.ts'

export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /** What an operator knows it by; never holds a password. */
  readonly label: string
  /** For reading outside transactions. */
  readonly read: Knex
  /** For the writer and for migrations only. */
  readonly main: Knex
  /** Resolves when another process has taken it: nothing in memory can be relied on any more. */
  readonly taken: Promise<void>
  /** Takes what was removed off the disk, too, where the engine can. */
  scrub(): Promise<void>
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** `postgres://…`; absent means SQLite in `dataDir`. */
  url?: string | undefined
  dataDir: string
  /** PostgreSQL schema, made when missing. */
  schema?: string | undefined
  log?: Log
}

/** Opens the store for this process alone; rejects DATABASE_LOCKED when another has it. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.url ? openPostgres(options.url, options) : openSqlite(options.dataDir)
}

async function openSqlite(dataDir: string): Promise<Database> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'wamux.sqlite')
  const release = await holdLock(file)
  makePrivate(file)
  const main = sqlite(file, { min: 1, max: 1 }, [
    'PRAGMA journal_mode = WAL',
    // FULL: a power cut may not take back a ratchet that has been used on the wire.
    'PRAGMA synchronous = FULL',
    'PRAGMA wal_autocheckpoint = 4000',
    'PRAGMA foreign_keys = ON',
    // What is removed is overwritten: a wrapped key must not be read from a free page.
    'PRAGMA secure_delete = ON',
    'PRAGMA busy_timeout = 5000',
  ])
  // A second connection: with one, a plain query inside an open transaction would wait for itself.
  const read = sqlite(file, { min: 0, max: 2 }, ['PRAGMA query_only = ON', 'PRAGMA busy_timeout = 5000'])
  const close = async (): Promise<void> => {
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
  // Nobody can take a lock from a process that has the file open.
  const taken = new Promise<void>(() => undefined)
  const scrub = async (): Promise<void> => {
    await main.raw('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  return { dialect: 'sqlite', label: file, read, main, taken, scrub, close }
}

/** Knex writes to the console; what it has to say comes as an error, too. */
const silent = {
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
  deprecate: () => undefined,
}

/** Longer than a large deletion by retention takes. */
const QUERY_TIMEOUT_MS = 120_000
/** A request that waits for a connection is answered within this time, and not after knex's minute. */
const ACQUIRE_TIMEOUT_MS = 10_000

async function openPostgres(url: string, { schema, log }: DatabaseOptions): Promise<Database> {
  const label = url.replace(/\/\/[^@/]*@/, '//')
  const main = knex({
    client: PostgresClient,
    compileSqlOnError: false,
    log: silent,
    connection: {
      connectionString: url,
      connectionTimeoutMillis: 5000,
      // Without it a query on a connection that went silent would wait as long as the kernel retransmits.
      query_timeout: QUERY_TIMEOUT_MS,
      // A connection that a network has dropped must fail, not wait.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
    ...(schema ? { searchPath: [schema] } : {}),
    pool: { min: 0, max: 8, acquireTimeoutMillis: ACQUIRE_TIMEOUT_MS },
  })
  try {
    if (schema) await main.raw('CREATE SCHEMA IF NOT EXISTS ??', [schema])
    const { taken, release } = await holdPostgres(main, label, log)
    const close = async (): Promise<void> => {
      await main.destroy()
      await release()
    }
    // Its old row versions and its WAL are its own affair.
    const scrub = async (): Promise<void> => undefined
    return { dialect: 'postgres', label, read: main, main, taken, scrub, close }
  } catch (cause) {
    await main.destroy()
    if (isGatewayError(cause)) throw cause
    throw gatewayError('DATABASE_FAILED', [label, reasonOf(cause)], { cause })
  }
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
    // Errors are logged: they may show the statement, not the values.
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
