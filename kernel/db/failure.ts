import { type GatewayError, gatewayError } from '../errors.ts'

/**
 * Codes that speak of the place where things are stored, not of what is stored. SQLite: disk full or failing, file
 * gone, read-only or broken. PostgreSQL's classes: connection, resources, shutdown, system.
 */
const CODES =
  /^(SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM|CORRUPT|NOTADB)|(08|53|58)[0-9A-Z]{3}|57P[0-9A-Z]{2})$/

/** STORAGE_FAILED for an error of a database that can't store now; undefined for any other. */
export function storageFailure(error: unknown): GatewayError | undefined {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || !CODES.test(code)) return undefined
  return gatewayError('STORAGE_FAILED', [code], { cause: error })
}
