import { existsSync } from 'node:fs'
import type { Knex } from 'knex'
import { type DatabaseOptions, openDatabase } from '../../../kernel/db/engines/open.ts'
import { isSqlite, migrate, prefixOf } from '../../../kernel/db/migrate.ts'
import { failpoint } from '../../../kernel/failpoint.ts'
import type { Migration } from '../../../kernel/types/storage.ts'
import { commandFailed } from '../../errors.ts'
import { databaseIn } from '../backup/backup.ts'
import { Checksum, converted, pagesOf } from './rows.ts'
import { stepsOf, type Table, tablesOf } from './tables.ts'

export interface CopyOptions {
  from: DatabaseOptions
  to: DatabaseOptions
  /** Migrations by owner: the kernel and the enabled plugins. */
  migrations: Readonly<Record<string, Readonly<Record<string, Migration>>>>
  /** Called for each table after its rows have been written and read again, and from time to time before. */
  onProgress(table: string, rows: number, isDone: boolean): void
}

/** Rows between two calls of `onProgress`. */
const STEP = 10_000
/** Rows per INSERT; SQLite accepts 32,766 values. */
const CHUNK = 250

/**
 * Copies the database of a stopped gateway to an empty one of either engine in one transaction: an interrupted copy leaves
 * only empty tables. Every table is read again and compared.
 *
 * @returns the numbers of tables and rows. @throws DATABASE_LOCKED while a gateway uses one of them; COMMAND_FAILED if the
 * target has rows, or the source has tables of another version.
 */
export async function copyDatabase(options: CopyOptions): Promise<{ tables: number; rows: number }> {
  const { url, dataDir } = options.from
  if (!url && !existsSync(databaseIn(dataDir)))
    throw refusal(`there is no database in ${databaseIn(dataDir)}`)
  const source = await openDatabase(options.from)
  try {
    await assertSteps(source.read, options.migrations)
    const target = await openDatabase(options.to)
    try {
      await assertEmpty(target.main, target.label)
      for (const [owner, steps] of Object.entries(options.migrations))
        if (owner === 'kernel' || Object.keys(steps).length > 0) await migrate(target.main, owner, steps)
      return await target.main.transaction((trx) => copyTables(source.read, trx, options))
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function refusal(reason: string): Error {
  return commandFailed(`${reason}. Nothing was changed`)
}

/** The source must have exactly the tables that this version creates. */
async function assertSteps(db: Knex, migrations: CopyOptions['migrations']): Promise<void> {
  const found = await stepsOf(db)
  if (!found.has('migrations_kernel')) throw refusal('the database has no tables of wamux')
  for (const [owner, known] of Object.entries(migrations)) {
    const table = `migrations_${prefixOf(owner).slice(0, -1)}`
    const run = found.get(table) ?? []
    found.delete(table)
    const what = owner === 'kernel' ? 'the kernel' : `plugin "${owner}"`
    const unknown = run.find((step) => !(step in known))
    if (unknown)
      throw refusal(`the database is of a newer version: ${what} has no migration "${unknown}" here`)
    const pending = Object.keys(known).find((step) => !run.includes(step))
    if (pending)
      throw refusal(
        `the database is of an older version: start this one on it once, for "${pending}" of ${what}`,
      )
  }
  const others = [...found.keys()].map((table) => table.replace('migrations_', ''))
  if (others.length > 0)
    throw refusal(
      `it has tables of plugins that are not enabled: ${others.join(', ')}. Enable them for the copy, or remove them with "wamux plugin purge"`,
    )
}

async function assertEmpty(db: Knex, label: string): Promise<void> {
  for (const { name } of await tablesOf(db)) {
    if (await db(name).first()) throw refusal(`${label} is not empty: its table ${name} has rows`)
  }
}

async function copyTables(
  source: Knex,
  target: Knex.Transaction,
  { onProgress }: CopyOptions,
): Promise<{ tables: number; rows: number }> {
  const tables = await tablesOf(target)
  const known = new Set(tables.map(({ name }) => name))
  const other = (await tablesOf(source)).find(({ name }) => !known.has(name))
  if (other) throw refusal(`its table ${other.name} is of no enabled plugin`)
  let rows = 0
  for (const table of tables) {
    rows += await copyTable(source, target, table, onProgress)
    failpoint('within:copy')
    const last = await lastNumber(source, table)
    if (last !== undefined) await continueAfter(target, table, last)
  }
  return { tables: tables.length, rows }
}

async function copyTable(
  source: Knex,
  target: Knex.Transaction,
  table: Table,
  onProgress: CopyOptions['onProgress'],
): Promise<number> {
  const read = new Checksum()
  let shown = 0
  for await (const page of pagesOf(source, table)) {
    for (const row of page) read.add(table, row)
    const values = page.map((row) => converted(table, row))
    for (let at = 0; at < values.length; at += CHUNK)
      await target(table.name).insert(values.slice(at, at + CHUNK))
    if (read.count - shown < STEP) continue
    shown = read.count
    onProgress(table.name, read.count, false)
  }
  const written = new Checksum()
  for await (const page of pagesOf(target, table)) for (const row of page) written.add(table, row)
  if (!read.equals(written))
    throw refusal(
      `the copy of ${table.name} is not what was read: ${read.count} rows read, ${written.count} written`,
    )
  onProgress(table.name, read.count, true)
  return read.count
}

/** The last number that a table has assigned, even if its row has been deleted; undefined if it assigns none. */
async function lastNumber(db: Knex, table: Table): Promise<number | undefined> {
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
async function continueAfter(db: Knex, table: Table, last: number): Promise<void> {
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
