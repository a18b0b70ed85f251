import type { Knex } from 'knex'
import type { KnownRows, Row } from '../types/storage.ts'
import type { Database } from './database.ts'

/** Most ids that one query names. */
const IDS_A_QUERY = 500

/**
 * The version of a row is the transaction that wrote it (PostgreSQL's manual, "System Columns": xmin). SQLite has none, and all rows
 * count as changed; its database has no other process.
 *
 * @param table with a key `id`.
 */
export function createKnownRows(
  { read, dialect }: Pick<Database, 'read' | 'dialect'>,
  table: string,
): KnownRows {
  const versions = new Map<string, string>()
  const isVersioned = dialect === 'postgres'
  const select = (): Knex.QueryBuilder<Row, Row[]> =>
    isVersioned ? read<Row>(table).select('*', read.raw('xmin::text AS row_version')) : read<Row>(table)
  const has = (row: Row): boolean => isVersioned && versions.get(String(row['id'])) === row['row_version']

  /** By id, in one value in place of thousands of rows to parse. */
  async function currentVersions(): Promise<Record<string, string>> {
    const row = await read(table).first(read.raw('json_object_agg(id, xmin::text) AS versions'))
    return (row?.versions ?? {}) as Record<string, string>
  }

  return {
    select,
    has,
    note: (row) => void versions.set(String(row['id']), String(row['row_version'])),
    forget: (id) => void versions.delete(id),
    async changed() {
      if (!isVersioned) {
        const rows = await select()
        return { rows, ids: new Set(rows.map((row) => String(row['id']))) }
      }
      const all = await currentVersions()
      const ids = Object.keys(all)
      const changed = ids.filter((id) => versions.get(id) !== all[id])
      const rows: Row[] = []
      for (let at = 0; at < changed.length; at += IDS_A_QUERY)
        rows.push(...(await select().whereIn('id', changed.slice(at, at + IDS_A_QUERY))))
      return { rows, ids: new Set(ids) }
    },
  }
}
