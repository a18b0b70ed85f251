import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { gatewayError, reasonOf } from '../errors.ts'

const OWNER_ONLY = 0o600

/**
 * Creates a SQLite file that only its owner can read, before SQLite creates it with the mode of the umask; its WAL, index
 * and journal inherit the mode. Throws DATABASE_FAILED.
 */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'a', OWNER_ONLY))
  } catch (cause) {
    throw gatewayError('DATABASE_FAILED', [file, reasonOf(cause)], { cause })
  }
  for (const one of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`])
    if (existsSync(one)) restrict(one)
}

/** Some network mounts have no modes, and a file of another user can't be changed: the database opens in both cases. */
function restrict(file: string): void {
  try {
    chmodSync(file, OWNER_ONLY)
  } catch {
    // There is no other way to restrict it.
  }
}
