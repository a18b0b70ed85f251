import type { Knex } from 'knex'
import { isSqlite } from '../../../kernel/db/migrate.ts'
import { commandFailed } from '../../errors.ts'

export interface Table {
  readonly name: string
  /** Columns of the primary key. */
  readonly key: readonly string[]
  readonly columns: readonly Column[]
  /** Tables that it references. */
  readonly refersTo: readonly string[]
}

interface Column {
  readonly name: string
  /** How values are compared and written; `plain` for texts and numbers. */
  readonly type: 'boolean' | 'bytes' | 'plain'
}

/** Migrations that a database has, by the table that lists them. */
export async function stepsOf(db: Knex): Promise<Map<string, string[]>> {
  const names = (await tableNames(db)).filter((name) => isMigrations(name) && !name.endsWith('_lock'))
  const steps = new Map<string, string[]>()
  for (const name of names) steps.set(name, (await db(name).orderBy('name').pluck('name')) as string[])
  return steps
}

/** All tables except the migration tables, each after those that it references. */
export async function tablesOf(db: Knex): Promise<Table[]> {
  const names = (await tableNames(db)).filter((name) => !isMigrations(name))
  const tables = await Promise.all(
    names.map((name) => (isSqlite(db) ? sqliteTable(db, name) : postgresTable(db, name))),
  )
  const ordered: Table[] = []
  const place = (table: Table, path: readonly string[]): void => {
    if (ordered.includes(table)) return
    if (path.includes(table.name))
      throw new Error(`${table.name} refers to itself by way of ${path.join(', ')}`)
    for (const other of tables)
      if (table.refersTo.includes(other.name) && other !== table) place(other, [...path, table.name])
    ordered.push(table)
  }
  for (const table of tables) place(table, [])
  const keyless = ordered.find(({ key }) => key.length === 0)
  if (keyless) throw commandFailed(`the table ${keyless.name} has no primary key, and can not be copied`)
  return ordered
}

function isMigrations(name: string): boolean {
  return name.startsWith('migrations_')
}

async function tableNames(db: Knex): Promise<string[]> {
  const rows: { name: string }[] = isSqlite(db)
    ? await db.raw(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
      )
    : (await db.raw('SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()')).rows
  return rows.map(({ name }) => name).sort()
}

async function sqliteTable(db: Knex, name: string): Promise<Table> {
  const columns: { name: string; type: string; pk: number }[] = await db.raw(`PRAGMA table_info("${name}")`)
  const references: { table: string }[] = await db.raw(`PRAGMA foreign_key_list("${name}")`)
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  return {
    name,
    key: key.map((column) => column.name),
    columns: columns.map((column) => ({ name: column.name, type: typeOf(column.type) })),
    refersTo: references.map(({ table }) => table),
  }
}

async function postgresTable(db: Knex, name: string): Promise<Table> {
  const inSchema = 'table_schema = current_schema() AND table_name = ?'
  const columns: { rows: { name: string; type: string }[] } = await db.raw(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE ${inSchema} ORDER BY ordinal_position`,
    [name],
  )
  const constraints: { rows: { kind: string; other: string | null; columns: string[] }[] } = await db.raw(
    `SELECT c.contype AS kind, other.relname AS other,
       array(SELECT attname::text FROM unnest(c.conkey) WITH ORDINALITY AS k(n, at)
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.n ORDER BY k.at) AS columns
     FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid LEFT JOIN pg_class other ON other.oid = c.confrelid
     WHERE c.connamespace = current_schema()::regnamespace AND t.relname = ? AND c.contype IN ('p', 'f')`,
    [name],
  )
  return {
    name,
    key: constraints.rows.find(({ kind }) => kind === 'p')?.columns ?? [],
    columns: columns.rows.map((column) => ({ name: column.name, type: typeOf(column.type) })),
    refersTo: constraints.rows.flatMap(({ other }) => other ?? []),
  }
}

function typeOf(declared: string): Column['type'] {
  if (/^bool/i.test(declared)) return 'boolean'
  return /^(blob|bytea)/i.test(declared) ? 'bytes' : 'plain'
}
