import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { gatewayError, reasonOf } from '../../errors.ts'

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

/**
 * Creates a file that only its owner can read, whole or not at all: a full disk would leave an empty one, which the next
 * start would take for a secret. Throws COMMAND_FAILED, also if the file already exists.
 */
export function createSecretFile(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const opened = openSync(file, 'wx', OWNER_ONLY)
    try {
      writeSync(opened, text)
      fsyncSync(opened)
    } catch (error) {
      rmSync(file)
      throw error
    } finally {
      closeSync(opened)
    }
  } catch (cause) {
    throw gatewayError('COMMAND_FAILED', [`${file} can not be written: ${reasonOf(cause)}`], { cause })
  }
}

/** Some network mounts have no modes, and another user's file can't be changed: the database opens in both cases. */
function restrict(file: string): void {
  try {
    chmodSync(file, OWNER_ONLY)
  } catch {
    // There is no other way to restrict it.
  }
}
