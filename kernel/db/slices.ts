import type { Knex } from 'knex'
import type { WorkOptions } from '../types/storage.ts'
import type { Writer } from './writer.ts'

/** The rows to delete. */
type Condition = (query: Knex.QueryBuilder) => Knex.QueryBuilder

const FIRST_ROWS = 500
const MIN_ROWS = 20
const MAX_ROWS = 5_000
/** Other writes wait for one slice at most, and with them the commits of every session of this process. */
const SLICE_MS = 100

/**
 * Deletes rows in slices, each a transaction of some 100 ms, between which other writes commit. Not atomic: after a crash the
 * rest is left. Rows that another transaction has locked are skipped.
 *
 * @returns the number of deleted rows
 */
export async function deleteInSlices(
  { transact }: Pick<Writer, 'transact'>,
  table: string,
  condition: Condition,
  options?: WorkOptions,
): Promise<number> {
  let size = FIRST_ROWS
  let count = 0
  for (;;) {
    const limit = size
    const { deleted, ms } = await transact(async (trx) => {
      const began = performance.now()
      const rows = await deleteSome(trx, table, condition, limit)
      return { deleted: rows, ms: performance.now() - began }
    }, options)
    count += deleted
    if (deleted < limit) return count
    const fitting = Math.round((limit * SLICE_MS) / Math.max(1, ms))
    size = Math.min(MAX_ROWS, 2 * limit, Math.max(MIN_ROWS, fitting))
  }
}

async function deleteSome(
  trx: Knex.Transaction,
  table: string,
  condition: Condition,
  limit: number,
): Promise<number> {
  const rows = condition(trx(table)).limit(limit)
  if (trx.client.dialect === 'sqlite3') return trx(table).whereIn('rowid', rows.select('rowid')).del()
  const { rowCount } = await trx.raw('DELETE FROM ?? WHERE ctid = ANY (ARRAY (?))', [
    table,
    rows.select('ctid').forUpdate().skipLocked(),
  ])
  return rowCount
}

/** Tables with any number of rows of a session, which its row deletes with it, and the columns with its id. */
export async function tablesOfSession(db: Knex): Promise<{ table: string; column: string }[]> {
  const rows: { table: string; column: string }[] =
    db.client.dialect === 'sqlite3' ? await db.raw(SQLITE_TABLES) : (await db.raw(POSTGRES_TABLES)).rows
  // Rows of the other tables refer to events too.
  return rows.sort((a, b) => Number(b.table === 'events') - Number(a.table === 'events'))
}

// Where the id is the whole key a session has one row: the lease, for example, which must last until the end.
const SQLITE_TABLES = `
  SELECT t.name AS "table", f."from" AS "column"
  FROM sqlite_master t JOIN pragma_foreign_key_list(t.name) f
  WHERE t.type = 'table' AND f."table" = 'sessions' AND f.on_delete = 'CASCADE' AND NOT (
    EXISTS (SELECT 1 FROM pragma_table_info(t.name) p WHERE p.pk > 0 AND p.name = f."from")
    AND (SELECT count(*) FROM pragma_table_info(t.name) p WHERE p.pk > 0) = 1)`
const POSTGRES_TABLES = `
  SELECT c.conrelid::regclass::text AS "table", a.attname AS "column"
  FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
  WHERE c.contype = 'f' AND c.confdeltype = 'c' AND c.confrelid = 'sessions'::regclass AND NOT EXISTS (
    SELECT 1 FROM pg_constraint k WHERE k.conrelid = c.conrelid AND k.contype = 'p' AND k.conkey = c.conkey)`
