import { importSqlite } from '../../../kernel/db/engines/sqlite-module.ts'
import { gatewayError, reasonOf } from '../../errors.ts'

/** A SQLite file opened outside the kernel, without its lock. */
export interface SqliteFile {
  all<T>(sql: string, values?: readonly unknown[]): Promise<T[]>
  close(): Promise<void>
}

/** How long a statement waits for a writing process. */
const BUSY_MS = 10_000

/** Opens an existing file. Rejects DATABASE_FAILED, like its statements. */
export async function openSqliteFile(file: string): Promise<SqliteFile> {
  const failed = (cause: unknown): Error =>
    gatewayError('DATABASE_FAILED', [file, reasonOf(cause)], { cause })
  const sqlite3 = await importSqlite(file)
  const database = await new Promise<InstanceType<typeof sqlite3.Database>>((resolve, reject) => {
    const opened = new sqlite3.Database(file, sqlite3.OPEN_READWRITE, (error) =>
      error ? reject(failed(error)) : resolve(opened),
    )
  })
  database.configure('busyTimeout', BUSY_MS)
  return {
    all: <T>(sql: string, values: readonly unknown[] = []) =>
      new Promise<T[]>((resolve, reject) => {
        database.all<T>(sql, values, (error, rows) => (error ? reject(failed(error)) : resolve(rows)))
      }),
    close: () =>
      new Promise((resolve, reject) => {
        database.close((error) => (error ? reject(failed(error)) : resolve()))
      }),
  }
}
