import { existsSync } from 'node:fs'
import knex, { type Knex } from 'knex'
import { PostgresClient, SqliteClient, silent } from '../../../kernel/db/engines/clients.ts'
import { importSqlite } from '../../../kernel/db/engines/sqlite-module.ts'
import { commandFailed, reasonOf } from '../../errors.ts'

/** The database of another gateway, opened read-only. */
export interface ForeignDatabase {
  rows<T>(table: string, where?: Readonly<Record<string, unknown>>): Promise<T[]>
  /** Whether it has this table. */
  has(table: string): Promise<boolean>
  close(): Promise<void>
}

/** @param where `postgres://…`, or a SQLite file. */
export async function openForeign(where: string): Promise<ForeignDatabase> {
  const isPostgres = /^postgres(ql)?:\/\//.test(where)
  if (!isPostgres && !existsSync(where)) throw commandFailed(`there is no file ${where}`)
  if (!isPostgres) await importSqlite(where)
  const db = isPostgres ? postgres(where) : sqlite(where)
  const label = where.replace(/\/\/[^@/]*@/, '//')
  const failed = (cause: unknown): never => {
    const { cause: inner = cause } = cause as Error
    throw commandFailed(`${label} can not be read: ${reasonOf(inner)}`, cause)
  }
  return {
    rows: async <T>(table: string, values: Readonly<Record<string, unknown>> = {}) =>
      (await db(table).where(values).catch(failed)) as T[],
    has: (table) => db.schema.hasTable(table).catch(failed),
    close: () => db.destroy(),
  }
}

function postgres(connectionString: string): Knex {
  return knex({
    client: PostgresClient,
    log: silent,
    compileSqlOnError: false,
    connection: {
      connectionString,
      options: '-c default_transaction_read_only=on',
      connectionTimeoutMillis: 5000,
    },
    pool: { min: 0, max: 1 },
  })
}

function sqlite(filename: string): Knex {
  return knex({
    client: SqliteClient,
    log: silent,
    compileSqlOnError: false,
    useNullAsDefault: true,
    connection: { filename },
    pool: {
      min: 0,
      max: 1,
      afterCreate: (
        connection: { run(sql: string, done: (error: Error | null) => void): void },
        done: () => void,
      ) => connection.run('PRAGMA query_only = ON', done),
    },
  })
}
