import { gatewayError } from '../../errors.ts'
import { makePrivate } from './private-file.ts'
import { importSqlite } from './sqlite-module.ts'
import { openError } from './storage-error.ts'

/**
 * Makes this process the only user of an SQLite file, by an exclusive transaction on a side file that is held for life.
 * The operating system releases it with the process, after SIGKILL too, so there is nothing to clean up.
 */
export async function holdLock(file: string): Promise<() => Promise<void>> {
  const sqlite3 = await importSqlite(file)
  makePrivate(`${file}.lock`)
  const lock = await new Promise<InstanceType<typeof sqlite3.Database>>((resolve, reject) => {
    const opened = new sqlite3.Database(`${file}.lock`, (error) => (error ? reject(error) : resolve(opened)))
  }).catch((cause: unknown) => {
    throw openError(file, cause)
  })
  const close = (): Promise<void> =>
    new Promise((resolve, reject) => lock.close((error) => (error ? reject(error) : resolve())))
  const failure = await new Promise<(Error & { code?: string }) | null>((resolve) =>
    lock.exec('BEGIN EXCLUSIVE', resolve),
  )
  if (failure) {
    await close()
    if (failure.code === 'SQLITE_BUSY') throw gatewayError('DATABASE_LOCKED', [file], { cause: failure })
    throw openError(file, failure)
  }
  return close
}
