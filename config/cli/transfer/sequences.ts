import type { Knex } from 'knex'
import { isSqlite } from '../../../kernel/db/migrate.ts'
import type { Table } from './tables.ts'

/** The last number that a table has assigned, even if its row has been deleted; undefined if it assigns none. */
export async function lastNumber(db: Knex, table: Table): Promise<number | undefined> {
  if (isSqlite(db)) {
    const rows: { seq: number }[] = await db.raw('SELECT seq FROM sqlite_sequence WHERE name = ?', [
      table.name,
    ])
    return rows[0]?.seq
  }
  const sequence = await sequenceOf(db, table)
  if (!sequence) return undefined
  const { rows } = await db.raw(
    `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${sequence}`,
  )
  return Number(rows[0]?.last ?? 0)
}

/** Makes a table continue after `last`. */
export async function continueAfter(db: Knex, table: Table, last: number): Promise<void> {
  if (isSqlite(db)) {
    await db.raw('DELETE FROM sqlite_sequence WHERE name = ?', [table.name])
    await db.raw('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table.name, last])
    return
  }
  const sequence = await sequenceOf(db, table)
  if (sequence && last > 0) await db.raw('SELECT setval(?, ?)', [sequence, last])
}

async function sequenceOf(db: Knex, { name, key }: Table): Promise<string | undefined> {
  const { rows } = await db.raw('SELECT pg_get_serial_sequence(quote_ident(?), ?) AS sequence', [
    name,
    key[0] ?? '',
  ])
  return rows[0]?.sequence ?? undefined
}
