import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { gatewayError, reasonOf } from '../errors.ts'

const OWNER_ONLY = 0o600

/**
 * Makes a SQLite file readable by its owner only, before SQLite makes it as the umask says; its log, index and journal
 * take their mode from it. Throws DATABASE_FAILED.
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

/** Some network mounts have no modes, and a file of another user can't be changed: neither keeps the store from opening. */
function restrict(file: string): void {
  try {
    chmodSync(file, OWNER_ONLY)
  } catch {
    // Nothing more can be done here.
  }
}
