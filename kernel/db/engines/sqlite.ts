import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import type { Database } from '../database.ts'
import { SqliteClient, silent } from './clients.ts'
import { OWN_CLOCK } from './clock.ts'
import { makePrivate } from './private-file.ts'
import { openSqliteConnection } from './sqlite-connection.ts'
import { holdLock } from './sqlite-lock.ts'
import { openError } from './storage-error.ts'
import { createTurns } from './turns.ts'

/** Opens SQLite in a folder, which it creates if missing. */
export async function openSqlite(dataDir: string): Promise<Database> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'wamux.sqlite')
  const release = await holdLock(file)
  makePrivate(file)
  const pragmas = [
    'PRAGMA journal_mode = WAL',
    // FULL: a power failure must not roll back key material already in use.
    'PRAGMA synchronous = FULL',
    'PRAGMA wal_autocheckpoint = 4000',
    'PRAGMA foreign_keys = ON',
    // Deleted rows are overwritten, so that a wrapped key can't be read from a free page.
    'PRAGMA secure_delete = ON',
    'PRAGMA busy_timeout = 5000',
  ]
  const main = sqlite(file, { min: 1, max: 1 }, pragmas)
  // Opened at the first turn, after the migrations.
  const turns = createTurns(() => openSqliteConnection(file, pragmas))
  // A second pool: on a single connection, a plain query during a transaction would wait for itself.
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
    throw openError(file, cause)
  }
  // The operating system keeps the lock as long as the file is open.
  const lockLost = new Promise<void>(() => undefined)
  const scrub = async (): Promise<void> => {
    await main.raw('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  const { now } = OWN_CLOCK
  const handles = { read, main, direct: main, turns, now }
  return { dialect: 'sqlite', isShared: false, label: file, ...handles, lockLost, scrub, close }
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
    // Errors are logged and may contain the statement, but not its values.
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
