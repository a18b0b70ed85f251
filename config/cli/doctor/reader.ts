import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import knex from 'knex'
import { PostgresClient, silent } from '../../../kernel/db/engines/clients.ts'
import { importSqlite } from '../../../kernel/db/engines/sqlite-module.ts'
import type { Row } from '../../../kernel/types/storage.ts'
import type { Config } from '../../schema.ts'

/** A database opened read-only. */
export interface DataReader {
  /** Without a password. */
  readonly label: string
  /** Rows of a table; none if it is missing. */
  rows(table: string): Promise<Row[]>
  tables(): Promise<ReadonlySet<string>>
  /** Why the gateway could not write to it; '' if it could. */
  refusal(): Promise<string>
  /** Its own clock, milliseconds since 1970; absent if it uses this machine's. */
  now?(): Promise<number>
  close(): Promise<void>
}

/** Undefined if the database does not exist yet. Rejects if it can't be opened. */
export async function openReader({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<DataReader | undefined> {
  if (databaseUrl) return openPostgres(databaseUrl)
  const file = resolve(join(dataDir, 'wamux.sqlite'))
  return existsSync(file) ? openSqlite(file) : undefined
}

async function openSqlite(file: string): Promise<DataReader> {
  const sqlite3 = await importSqlite(file)
  // Without `immutable`, SQLite creates the -wal and -shm files even for reading a database that no process has open.
  const isAlone = !existsSync(`${file}-wal`)
  const address = `${pathToFileURL(file)}?mode=ro${isAlone ? '&immutable=1' : ''}`
  const database = await new Promise<InstanceType<typeof sqlite3.Database>>((settle, reject) => {
    const opened = new sqlite3.Database(address, sqlite3.OPEN_READONLY | sqlite3.OPEN_URI, (error) =>
      error ? reject(error) : settle(opened),
    )
  })
  const all = (sql: string): Promise<Row[]> =>
    new Promise((settle, reject) => {
      database.all<Row>(sql, (error, rows) => (error ? reject(error) : settle(rows)))
    })
  const tables = async (): Promise<Set<string>> =>
    new Set(
      (await all("SELECT name FROM sqlite_master WHERE type = 'table'")).map(({ name }) => String(name)),
    )
  return {
    label: file,
    tables,
    rows: async (table) => ((await tables()).has(table) ? all(`SELECT * FROM "${table}"`) : []),
    async refusal() {
      for (const path of [file, dirname(file)]) {
        const isWritable = await access(path, constants.W_OK).then(
          () => true,
          () => false,
        )
        if (!isWritable) return `this user may not write to ${path}`
      }
      return ''
    },
    close: () =>
      new Promise((settle, reject) => {
        database.close((error) => (error ? reject(error) : settle()))
      }),
  }
}

async function openPostgres(url: string): Promise<DataReader> {
  const database = knex({
    client: PostgresClient,
    compileSqlOnError: false,
    log: silent,
    connection: { connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 20_000 },
    // One connection, so its settings apply to all queries.
    pool: { min: 0, max: 1 },
  })
  const all = async (sql: string): Promise<Row[]> => (await database.raw(sql)).rows as Row[]
  const [given = {}] = await all(
    "SELECT current_setting('transaction_read_only') AS read_only, pg_is_in_recovery() AS standby, current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS may",
  )
  await database.raw('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY')
  const tables = async (): Promise<Set<string>> =>
    new Set(
      (await all('SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()')).map(
        ({ name }) => String(name),
      ),
    )
  return {
    label: url.replace(/\/\/[^@/]*@/, '//').split('?', 1)[0] ?? '',
    tables,
    rows: async (table) => ((await tables()).has(table) ? all(`SELECT * FROM "${table}"`) : []),
    async refusal() {
      if (given['standby']) return 'it is a standby, which is read only'
      if (given['read_only'] === 'on') return 'its transactions are read only'
      if (!given['schema']) return 'its search_path names no schema that exists'
      return given['may'] ? '' : `this user may not create tables in the schema "${given['schema']}"`
    },
    async now() {
      const [row] = await all('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
      return Number(row?.['now'])
    },
    close: () => database.destroy(),
  }
}
