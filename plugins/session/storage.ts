import type { PluginDb, Row } from 'wamux/plugin'

/** The stored data of one session in one table. */
export interface StorageUse {
  /** For example `events` or `webhook_deliveries`. */
  readonly table: string
  readonly rows: number
  /** Size of the values, without indexes and free space. */
  readonly bytes: number
}

export interface Storage {
  /** Tables with data of the session, the largest first. Reads all its rows. */
  of(session: string): Promise<StorageUse[]>
}

/** Every table with rows of sessions has the column `session`. */
const COLUMN = 'session'

export function createStorage({ db: { read } }: { db: PluginDb }): Storage {
  const isPostgres = read.client.dialect === 'postgresql'
  const size = isPostgres ? 'pg_column_size(??)' : 'length(CAST(?? AS BLOB))'
  let tables: Promise<Map<string, string[]>> | undefined

  /** Columns by table; read once, because migrations have already run. */
  async function readTables(): Promise<Map<string, string[]>> {
    const query = isPostgres
      ? `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns
         WHERE table_schema = current_schema()`
      : `SELECT m.name AS name, p.name AS "column" FROM sqlite_master m JOIN pragma_table_info(m.name) p
         WHERE m.type = 'table'`
    const answer = await read.raw(query)
    const rows: { name: string; column: string }[] = isPostgres ? answer.rows : answer
    const columns = new Map<string, string[]>()
    for (const { name, column } of rows) columns.set(name, [...(columns.get(name) ?? []), column])
    return new Map([...columns].filter(([, names]) => names.includes(COLUMN)))
  }

  async function measure(table: string, columns: readonly string[], session: string): Promise<StorageUse> {
    const sizes = columns.map(() => `coalesce(${size}, 0)`).join(' + ')
    const sum = read.raw(`sum(${sizes}) AS bytes`, [...columns])
    const [row]: Row[] = await read(table)
      .where({ [COLUMN]: session })
      .select(sum)
      .count({ rows: '*' })
    return { table, rows: Number(row?.['rows'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
  }

  return {
    async of(session) {
      tables ??= readTables().catch((error: unknown) => {
        tables = undefined
        throw error
      })
      const found: StorageUse[] = []
      // Sequentially: the counts are not urgent, and others need the connections.
      for (const [table, columns] of await tables) found.push(await measure(table, columns, session))
      return found.filter(({ rows }) => rows > 0).sort((a, b) => b.bytes - a.bytes)
    },
  }
}
