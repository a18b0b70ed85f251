import { type GatewayError, gatewayError, isGatewayError, isStorageError } from '../../kernel/errors.ts'

/** SQLite's codes for a disk that is full, failing, read-only or missing. */
const SQLITE_DISK = /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM|CORRUPT|NOTADB)$/
/** PostgreSQL's classes for its resources (53: disk and memory, not connections) and its system (58). */
const POSTGRES_DISK = /^(53[124]|58)/
/** Codes for a fault of the statement or its values, not of the storage. */
const STATEMENT = /^(SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG|MISUSE)|(0A|2[1237]|42)[0-9A-Z]{3})$/

/**
 * Converts an error of a database driver: STORAGE_FAILED for a disk that is full or failing, STORAGE_UNAVAILABLE for a
 * database that does not answer; undefined where the statement itself is wrong. Neither message has SQL, a value or an
 * address; the driver's error is the cause.
 *
 * Errors of a lost connection have no SQLSTATE ("Connection terminated unexpectedly", ECONNRESET …), so every error that
 * is not known to be the statement's fault counts as the database's.
 */
export function storageError(error: unknown): GatewayError | undefined {
  if (isGatewayError(error)) return isStorageError(error) ? error : undefined
  const code = codeOf(error)
  if (STATEMENT.test(code) || error instanceof TypeError) return undefined
  if (SQLITE_DISK.test(code) || POSTGRES_DISK.test(code))
    return gatewayError('STORAGE_FAILED', [code], { cause: error })
  return gatewayError('STORAGE_UNAVAILABLE', [], { cause: error })
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
