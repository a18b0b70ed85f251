import { gatewayError } from '../../errors.ts'
import type { Log } from '../../types/driver.ts'
import type { Database } from '../database.ts'
import { openPostgres } from './postgres.ts'
import type { PostgresLimits } from './postgres-limits.ts'
import { openSqlite } from './sqlite.ts'

export interface DatabaseOptions {
  /** `postgres://…`; absent means SQLite in `dataDir`. */
  url?: string | undefined
  /** URL of the server, where `url` points to a pooler in transaction mode. */
  directUrl?: string | undefined
  dataDir: string
  /** PostgreSQL schema, made when missing. */
  schema?: string | undefined
  /** Other processes that set this too may use it at the same time; PostgreSQL only. */
  isShared?: boolean
  /** Bounds what its connections hold, by the duration of the lease; absent for tools, which may run for long. */
  limits?: PostgresLimits
  log?: Log
}

/** Opens the database; rejects DATABASE_LOCKED when another process uses it and the two do not share it. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.url) return openPostgres(options.url, options)
  if (options.isShared)
    throw gatewayError('DATABASE_FAILED', [
      options.dataDir,
      'SQLite is for one process; set DATABASE_URL, or switch off the plugin that shares the database',
    ])
  return openSqlite(options.dataDir)
}
