import type { Row } from '../../types/storage.ts'
import type { Batch } from './merge.ts'

export type Dialect = 'sqlite' | 'postgres'
export type Value = string | number | boolean | Buffer | null

export interface Statement {
  /** SQL with placeholders; the texts are few enough to stay prepared on a connection. */
  readonly sql: string
  /** In the order of their placeholders. */
  readonly values: readonly Value[]
  /** Number of rows that it writes. */
  readonly rows: number
  /** It returns rows. */
  readonly isReturning: boolean
  /** Those of one level touch different rows; absent for a removal, and for what isn't a write of rows. */
  readonly level?: number
  /** Another statement adds further new rows of the same write: a column that counts must give them later numbers. */
  readonly isSplit?: boolean
  /** Set if the insert returns the number of each new row: what an engine needs to assign the numbers itself. */
  readonly numbered?: Numbered
}

export interface Numbered {
  readonly table: string
  readonly key: string
  /** The column of the number, which `columns` lack. */
  readonly number: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** Most rows per statement. A shape is also prepared for each half of it, down to one row. */
const MAX_ROWS = 64
/** Row shapes times chunk sizes. */
const MAX_KEPT = 1_000
/** By shape and number of rows: building the text is the largest cost of a small turn. */
const kept = new Map<string, string>()

/** The statements that write a batch, in order. */
export function statementsOf(batch: Batch, dialect: Dialect): Statement[] {
  const { mode, key, columns } = batch
  if (mode === 'update') return updatesOf(batch, dialect)
  const isReturning = batch.returning.length > 0
  const chunks = chunksOf(batch.rows)
  const isSplit = mode === 'add' && chunks.length > 1
  return chunks.map((rows) => ({
    sql: sqlOf(batch, rows.length, dialect, mode === 'remove' ? removalOf : insertOf),
    values: valuesOf(mode === 'remove' ? key : columns, rows),
    rows: rows.length,
    isReturning,
    ...(mode === 'remove' ? {} : { level: batch.level, isSplit }),
    ...(isReturning ? numberedOf(batch, rows) : {}),
  }))
}

function numberedOf(
  { table, key, columns, returning }: Batch,
  rows: readonly Row[],
): Pick<Statement, 'numbered'> {
  const [id] = key
  const [number, ...others] = returning.filter((column) => !columns.includes(column))
  if (id === undefined || key.length > 1 || number === undefined || others.length > 0) return {}
  return { numbered: { table, key: id, number, columns, rows } }
}

/** Inserts rows whose keys the table is known to lack: it fails if it has one of them. */
export function plainInsert(
  { table }: Numbered,
  columns: readonly string[],
  rows: readonly Row[],
): Statement {
  const count = rows.length
  const id = `plain ${count} ${table} ${columns.join()}`
  const sql = textOf(id, () => insertInto(table, columns, count, 'sqlite'))
  return { sql, values: valuesOf(columns, rows), rows: count, isReturning: false }
}

/** A statement without values. */
export function plain(sql: string): Statement {
  return { sql, values: [], rows: 0, isReturning: false }
}

type Write = (batch: Batch, count: number, dialect: Dialect) => string

function sqlOf(batch: Batch, count: number, dialect: Dialect, write: Write): string {
  return textOf(`${dialect} ${count} ${write.name} ${batch.shape}`, () => write(batch, count, dialect))
}

/** A text that was built before. */
function textOf(id: string, build: () => string): string {
  const known = kept.get(id)
  if (known) return known
  const sql = build()
  if (kept.size < MAX_KEPT) kept.set(id, sql)
  return sql
}

function insertInto(table: string, columns: readonly string[], count: number, dialect: Dialect): string {
  return `INSERT INTO ${name(table)} (${names(columns)}) VALUES ${tuples(count, columns.length, dialect)}`
}

function insertOf({ table, key, columns, mode, returning }: Batch, count: number, dialect: Dialect): string {
  const rest = mode === 'put' ? columns.filter((column) => !key.includes(column)) : []
  const change = rest.map((column) => `${name(column)} = excluded.${name(column)}`).join(', ')
  return [
    insertInto(table, columns, count, dialect),
    `ON CONFLICT (${names(key)}) DO ${change ? `UPDATE SET ${change}` : 'NOTHING'}`,
    ...(returning.length > 0 ? [`RETURNING ${names(returning)}`] : []),
  ].join(' ')
}

function removalOf({ table, key }: Batch, count: number, dialect: Dialect): string {
  return `DELETE FROM ${name(table)} WHERE ${among(key, count, dialect)}`
}

/** Sets the same values in each row. */
function changeOf({ table, key, columns }: Batch, count: number, dialect: Dialect): string {
  const rest = columns.filter((column) => !key.includes(column))
  const change = rest.map((column, i) => `${name(column)} = ${placeholder(i + 1, dialect)}`).join(', ')
  return `UPDATE ${name(table)} SET ${change} WHERE ${among(key, count, dialect, rest.length)}`
}

/** Sets other values in each row. */
function changeEachOf(batch: Batch, count: number, dialect: Dialect): string {
  const { table, key, columns } = batch
  const rest = columns.filter((column) => !key.includes(column))
  const change = rest.map((column) => `${name(column)} = made.${name(column)}`).join(', ')
  const isSame = key.map((column) => `${name(table)}.${name(column)} = made.${name(column)}`).join(' AND ')
  return `WITH made (${names(columns)}) AS (${madeOf(batch, count, dialect)}) UPDATE ${name(table)} SET ${change} FROM made WHERE ${isSame}`
}

/** PostgreSQL infers the types of parameters from the first part of a union, and treats a list of values as text. */
function madeOf({ table, columns }: Batch, count: number, dialect: Dialect): string {
  if (dialect === 'sqlite') return `VALUES ${tuples(count, columns.length, dialect)}`
  const rows = tuplesOf(count, columns.length, dialect).map((cells) => `SELECT ${cells.join(', ')}`)
  return [`SELECT ${names(columns)} FROM ${name(table)} WHERE false`, ...rows].join(' UNION ALL ')
}

/** If all rows get the same values, the statement names these once: marking a hundred as done is short. */
function updatesOf(batch: Batch, dialect: Dialect): Statement[] {
  const { key, columns, rows } = batch
  const rest = columns.filter((column) => !key.includes(column))
  if (rest.length === 0) return []
  const isSame = areSame(rest, rows)
  return chunksOf(rows).map((chunk) => ({
    sql: sqlOf(batch, chunk.length, dialect, isSame ? changeOf : changeEachOf),
    values: isSame
      ? [...valuesOf(rest, chunk.slice(0, 1)), ...valuesOf(key, chunk)]
      : valuesOf(columns, chunk),
    rows: chunk.length,
    isReturning: false,
    level: batch.level,
  }))
}

function areSame(columns: readonly string[], [first, ...others]: readonly Row[]): boolean {
  return others.every((row) => columns.every((column) => row[column] === first?.[column]))
}

/** Powers of two: a few texts cover any number of rows. */
function chunksOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  if (rows.length === 1) return [rows]
  const chunks: Row[][] = []
  let size = MAX_ROWS
  for (let at = 0; at < rows.length; at += size) {
    while (size > rows.length - at) size /= 2
    chunks.push(rows.slice(at, at + size))
  }
  return chunks
}

function valuesOf(columns: readonly string[], rows: readonly Row[]): Value[] {
  const values: Value[] = []
  for (const row of rows) for (const column of columns) values.push(row[column] ?? null)
  return values
}

function among(key: readonly string[], count: number, dialect: Dialect, after = 0): string {
  const list = tuples(count, key.length, dialect, after)
  // SQLite compares row values only with a table; PostgreSQL infers parameter types only in a list.
  return `(${names(key)}) IN (${dialect === 'sqlite' ? 'VALUES ' : ''}${list})`
}

function tuples(rows: number, columns: number, dialect: Dialect, after = 0): string {
  return tuplesOf(rows, columns, dialect, after)
    .map((cells) => `(${cells.join(', ')})`)
    .join(', ')
}

/** The placeholders of each row. */
function tuplesOf(rows: number, columns: number, dialect: Dialect, after = 0): string[][] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, i) => placeholder(after + row * columns + i + 1, dialect)),
  )
}

function placeholder(index: number, dialect: Dialect): string {
  return dialect === 'sqlite' ? '?' : `$${index}`
}

function names(columns: readonly string[]): string {
  return columns.map(name).join(', ')
}

function name(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}
