import { expect } from 'chai'
import { storageError } from '../../../../kernel/db/engines/storage-error.ts'
import { gatewayError, isStorageError } from '../../../../kernel/errors.ts'

const failure = (message: string, code?: string) => Object.assign(new Error(message), code ? { code } : {})

describe('storage errors', () => {
  const away = [
    failure('connect ECONNREFUSED 10.0.0.5:5432', 'ECONNREFUSED'),
    failure('read ECONNRESET', 'ECONNRESET'),
    failure('Connection terminated unexpectedly'),
    failure('Connection terminated due to connection timeout'),
    failure('Query read timeout'),
    failure('Knex: Timeout acquiring a connection. The pool is probably full.'),
    failure('terminating connection due to administrator command', '57P01'),
    failure('the database system is starting up', '57P03'),
    failure('sorry, too many clients already', '53300'),
    failure('cannot execute INSERT in a read-only transaction', '25006'),
    failure('SQLITE_BUSY: database is locked', 'SQLITE_BUSY'),
  ]
  for (const error of away) {
    it(`says that the database does not answer: ${error.message}`, () => {
      expect(storageError(error)).to.include({
        code: 'STORAGE_UNAVAILABLE',
        status: 503,
        message: 'The database does not answer; try again shortly',
        cause: error,
      })
    })
  }

  const full = [
    failure('SQLITE_FULL: database or disk is full', 'SQLITE_FULL'),
    failure('SQLITE_IOERR: disk I/O error', 'SQLITE_IOERR'),
    failure('could not extend file "base/16384/2619"', '53100'),
    failure('could not read block 0', '58030'),
  ]
  for (const error of full) {
    it(`says that the storage is full or failing: ${error.message}`, () => {
      expect(storageError(error)).to.include({
        code: 'STORAGE_FAILED',
        status: 507,
        message: `Storage is full or failing: ${(error as { code?: string }).code}`,
      })
    })
  }

  const own = [
    failure('SQLITE_CONSTRAINT: UNIQUE constraint failed', 'SQLITE_CONSTRAINT'),
    failure('SQLITE_ERROR: no such table: x', 'SQLITE_ERROR'),
    failure('duplicate key value violates unique constraint', '23505'),
    failure('relation "x" does not exist', '42P01'),
    failure('invalid byte sequence for encoding "UTF8": 0x00', '22021'),
    new TypeError('Converting circular structure to JSON'),
    gatewayError('INTERNAL'),
  ]
  for (const error of own) {
    it(`leaves the fault of a statement alone: ${error.message}`, () => {
      expect(storageError(error)).to.equal(undefined)
      expect(isStorageError(error)).to.equal(false)
    })
  }
})
