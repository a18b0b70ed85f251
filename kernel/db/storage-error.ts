import { type GatewayError, gatewayError, isGatewayError } from '../errors.ts'

/** What SQLite says of a disk that is full, failing, read-only or gone. */
const SQLITE_DISK = /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM|CORRUPT|NOTADB)$/
/** PostgreSQL's classes for its own resources (53: disk and memory; connections apart) and its system (58). */
const POSTGRES_DISK = /^(53[124]|58)/
/** What is wrong with a statement or its values, and not with the place where they are stored. */
const STATEMENT = /^(SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG|MISUSE)|(0A|2[1237]|42)[0-9A-Z]{3})$/

/**
 * The error of the table for what a database driver rejected with: STORAGE_FAILED for a disk that is full or failing,
 * STORAGE_UNAVAILABLE for a database that does not answer; undefined where the statement itself is wrong.
 * Neither carries SQL, a value or an address; the driver's error is its cause.
 *
 * Errors of a lost connection have no SQLSTATE ("Connection terminated unexpectedly", ECONNRESET …), so what is not
 * known to be the statement's fault counts as the database's.
 */
export function storageError(error: unknown): GatewayError | undefined {
  if (isGatewayError(error)) return isStorageError(error) ? error : undefined
  const code = codeOf(error)
  if (STATEMENT.test(code) || error instanceof TypeError) return undefined
  if (SQLITE_DISK.test(code) || POSTGRES_DISK.test(code))
    return gatewayError('STORAGE_FAILED', [code], { cause: error })
  return gatewayError('STORAGE_UNAVAILABLE', [], { cause: error })
}

export type StorageError = GatewayError & { readonly code: 'STORAGE_FAILED' | 'STORAGE_UNAVAILABLE' }

/** Whether the storage failed, rather than what was asked of it: the same may succeed later. */
export function isStorageError(error: unknown): error is StorageError {
  return isGatewayError(error) && (error.code === 'STORAGE_FAILED' || error.code === 'STORAGE_UNAVAILABLE')
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
