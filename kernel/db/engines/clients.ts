import type { Knex } from 'knex'
// Knex documents these modules as the way to extend a dialect, but does not type them.
// @ts-expect-error
import PostgresTransactionBase from 'knex/lib/dialects/postgres/execution/pg-transaction.js'
// @ts-expect-error
import PostgresBase from 'knex/lib/dialects/postgres/index.js'
// @ts-expect-error
import SqliteTransactionBase from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js'
// @ts-expect-error
import SqliteBase from 'knex/lib/dialects/sqlite3/index.js'
import type { PostgresLimits } from './postgres-limits.ts'
import { storageError } from './storage-error.ts'

/** Knex's dialects, with storage failures converted to errors of the table. */
export const PostgresClient = withStorageErrors(PostgresBase as ClientClass)
export const SqliteClient = withStorageErrors(withImmediateTransactions(SqliteBase as ClientClass))

interface Queried {
  query(sql: string): Promise<unknown>
}

interface Connection {
  __knex__disposed?: unknown
}

type ClientClass = new (
  config: Knex.Config,
) => Knex.Client & {
  query(connection: Connection, query: unknown): Promise<unknown>
  acquireConnection(): Promise<Connection>
  acquireRawConnection(): Promise<Connection>
}

type TransactionClass = new (
  ...args: unknown[]
) => Knex.Transaction & { query(connection: Connection, sql: string): Promise<unknown> }

/**
 * A transaction waits for the write lock when it begins. SQLite's default begins with a read lock, and fails at once on its
 * first write if another connection has committed meanwhile (https://sqlite.org/lang_transaction.html).
 */
function withImmediateTransactions(Base: ClientClass): ClientClass {
  class ImmediateTransaction extends (SqliteTransactionBase as TransactionClass) {
    begin(connection: Connection): Promise<unknown> {
      return this.query(connection, 'BEGIN IMMEDIATE;')
    }
  }
  return class extends Base {
    override transaction(...args: unknown[]): Knex.Transaction {
      return new ImmediateTransaction(this, ...args)
    }
  }
}

/**
 * A client whose connections have limits. Behind a pooler each transaction sets them, because it may run on any connection to
 * the server; a statement outside transactions holds no locks and needs none.
 */
export function limitedPostgresClient(limits: PostgresLimits, isPooled: boolean): typeof Knex.Client {
  class LimitedTransaction extends (PostgresTransactionBase as TransactionClass) {
    begin(connection: Connection): Promise<unknown> {
      return this.query(connection, `BEGIN; ${limits.set('LOCAL')};`)
    }
  }
  class LimitedClient extends (PostgresClient as unknown as ClientClass) {
    override async acquireRawConnection(): Promise<Connection> {
      const connection = await super.acquireRawConnection()
      if (!isPooled) await (connection as Queried).query(limits.set('SESSION'))
      return connection
    }

    override transaction(...args: unknown[]): Knex.Transaction {
      return isPooled
        ? new LimitedTransaction(this, ...args)
        : super.transaction(...(args as [never, never, never]))
    }
  }
  return LimitedClient as unknown as typeof Knex.Client
}

function withStorageErrors(Base: ClientClass): typeof Knex.Client {
  class StorageClient extends Base {
    override async query(connection: Connection, query: unknown): Promise<unknown> {
      try {
        return await super.query(connection, query)
      } catch (error) {
        const failure = storageError(error)
        // The pool must not reuse a connection that may be dead.
        if (failure?.code === 'STORAGE_UNAVAILABLE') connection.__knex__disposed = failure
        throw failure ?? error
      }
    }

    override async acquireConnection(): Promise<Connection> {
      try {
        return await super.acquireConnection()
      } catch (error) {
        throw storageError(error) ?? error
      }
    }
  }
  return StorageClient as unknown as typeof Knex.Client
}

/** Keeps knex from writing to the console: everything that it reports also arrives as a rejection. */
export const silent = {
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
  deprecate: () => undefined,
}
