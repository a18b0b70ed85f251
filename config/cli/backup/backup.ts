import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { failpoint } from '../../../kernel/failpoint.ts'
import { commandFailed, isGatewayError, reasonOf } from '../../errors.ts'
import { type Contents, readContents } from './contents.ts'
import { openSqliteFile } from './sqlite-file.ts'

export interface Backup extends Contents {
  bytes: number
}

/**
 * Copies a snapshot of the SQLite database of `dataDir` to `file`, even while a gateway uses it. The file appears under its
 * name only once it is complete and checked; only its owner can read it.
 *
 * @throws COMMAND_FAILED when `file` exists, the database does not, or the copy can't be written.
 */
export async function backUp(dataDir: string, file: string): Promise<Backup> {
  const source = databaseIn(dataDir)
  if (!existsSync(source)) throw commandFailed(`there is no database in ${source}`)
  const target = resolve(file)
  if (existsSync(target)) throw commandFailed(`${file} exists already; choose another name`)
  const partial = `${target}.partial`
  try {
    // Left by an interrupted backup.
    rmSync(partial, { force: true })
    closeSync(openSync(partial, 'wx', 0o600))
    const live = await openSqliteFile(source)
    try {
      // One read transaction: writers continue meanwhile. Deleted pages are left out.
      await live.all('VACUUM INTO ?', [partial])
    } finally {
      await live.close()
    }
    failpoint('before:backup-check')
    const contents = await readContents(partial)
    publish(partial, target)
    noteBackup(dataDir)
    return { ...contents, bytes: statSync(target).size }
  } catch (cause) {
    rmSync(partial, { force: true })
    if (isGatewayError(cause)) throw cause
    throw commandFailed(`the backup could not be written to ${file}: ${reasonOf(cause)}`)
  }
}

/** For the metric `wamux_last_backup_timestamp_seconds`: the time at which that file was written. */
function noteBackup(dataDir: string): void {
  try {
    writeFileSync(join(dataDir, 'last-backup'), `${new Date().toISOString()}\n`, { mode: 0o600 })
  } catch {
    // The copy is complete; its creator may have no right to write next to the database.
  }
}

export function databaseIn(dataDir: string): string {
  return join(dataDir, 'wamux.sqlite')
}

/** Renames a written file over the existing one: a power failure leaves either the old or the new one. */
export function publish(partial: string, target: string): void {
  chmodSync(partial, 0o600)
  flush(partial)
  renameSync(partial, target)
  flush(dirname(target))
}

function flush(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
