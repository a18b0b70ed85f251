import { type GatewayError, gatewayError, isGatewayError, isStorageError, reasonOf } from '../../errors.ts'

/** SQLite's codes for a full, failing, read-only or missing disk. */
const SQLITE_DISK = /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM|CORRUPT|NOTADB)$/
/** PostgreSQL's classes for its resources (53: disk and memory, not connections) and its system (58). */
const POSTGRES_DISK = /^(53[124]|58)/
/** PostgreSQL's code for a lock that was not released in time. */
const POSTGRES_LOCKED = '55P03'
/** Codes for a fault of the statement or its values, not of the storage. */
const STATEMENT = /^(SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG|MISUSE)|(0A|2[1237]|42)[0-9A-Z]{3})$/

/**
 * Converts an error of a database driver: STORAGE_FAILED for a full or failing disk, STORAGE_LOCKED for rows that another
 * transaction holds, STORAGE_UNAVAILABLE for a database that does not answer; undefined if the statement itself is wrong. Neither message contains SQL, a value or an address; the
 * driver's error is the cause.
 *
 * Errors of a lost connection have no SQLSTATE ("Connection terminated unexpectedly", ECONNRESET …), so every error not
 * known to be the statement's fault counts as the database's.
 */
export function storageError(error: unknown): GatewayError | undefined {
  if (isGatewayError(error)) return isStorageError(error) ? error : undefined
  const code = codeOf(error)
  if (STATEMENT.test(code) || error instanceof TypeError) return undefined
  if (code === POSTGRES_LOCKED) return gatewayError('STORAGE_LOCKED', [], { cause: error })
  if (SQLITE_DISK.test(code) || POSTGRES_DISK.test(code))
    return gatewayError('STORAGE_FAILED', [code], { cause: error })
  return gatewayError('STORAGE_UNAVAILABLE', [], { cause: error })
}

/** PostgreSQL's classes for a missing user, database or schema: waiting does not help. */
const REFUSED = /^(28|3D|3F)/
/** What the operator must do about the disk. */
const WORDS: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'the disk is full; free some space',
  SQLITE_IOERR: 'the disk fails, or is full',
  SQLITE_CANTOPEN: 'it can not be opened; look at the rights of the folder',
  SQLITE_READONLY: 'it can not be written; look at the rights of the file and the folder',
}

/** DATABASE_FAILED for a database that could not be opened; the cause is a storage error if another attempt may succeed. */
export function openError(label: string, error: unknown): GatewayError {
  const raw = isStorageError(error) ? (error.cause ?? error) : error
  const code = codeOf(raw)
  const words = WORDS[code] ? `${WORDS[code]} (${code})` : reasonOf(raw) || code
  const cause = REFUSED.test(code) ? raw : (storageError(raw) ?? raw)
  return gatewayError('DATABASE_FAILED', [label, words], { cause })
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
