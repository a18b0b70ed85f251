import type { Row } from '../types/storage.ts'
import type { Batch } from './merge.ts'

export type Dialect = 'sqlite' | 'postgres'
export type Value = string | number | boolean | Buffer | null

/** SQL whose text is one of few, so that a connection can keep it prepared. */
export interface Statement {
  readonly text: string
  readonly values: readonly Value[]
}

/** Rows a statement. Its halves down to one row are the others that a shape is prepared for. */
const MAX_ROWS = 64

/** The statements that write a batch, to be run in their order. */
export function statementsOf(batch: Batch, dialect: Dialect): Statement[] {
  if (batch.mode === 'update') return updatesOf(batch, dialect)
  return chunksOf(batch.rows).map((rows) =>
    batch.mode === 'remove' ? removalOf(batch, rows, dialect) : insertOf(batch, rows, dialect),
  )
}

function insertOf(batch: Batch, rows: readonly Row[], dialect: Dialect): Statement {
  const { table, key, columns, mode, returning } = batch
  const rest = mode === 'put' ? columns.filter((column) => !key.includes(column)) : []
  const change = rest.map((column) => `${name(column)} = excluded.${name(column)}`).join(', ')
  const text = [
    `INSERT INTO ${name(table)} (${names(columns)}) VALUES ${tuples(rows.length, columns.length, dialect)}`,
    `ON CONFLICT (${names(key)}) DO ${change ? `UPDATE SET ${change}` : 'NOTHING'}`,
    ...(returning.length > 0 ? [`RETURNING ${names(returning)}`] : []),
  ].join(' ')
  return { text, values: rows.flatMap((row) => valuesOf(columns, row)) }
}

function removalOf({ table, key }: Batch, rows: readonly Row[], dialect: Dialect): Statement {
  const text = `DELETE FROM ${name(table)} WHERE ${among(key, rows.length, dialect)}`
  return { text, values: rows.flatMap((row) => valuesOf(key, row)) }
}

/** Rows that get the same values share a statement: marking a hundred as done is one or two. */
function updatesOf({ table, key, columns, rows }: Batch, dialect: Dialect): Statement[] {
  const rest = columns.filter((column) => !key.includes(column))
  if (rest.length === 0) return []
  const change = rest.map((column, i) => `${name(column)} = ${placeholder(i + 1, dialect)}`).join(', ')
  return bySameValues(rest, rows).flatMap((same) =>
    chunksOf(same).map((chunk) => ({
      text: `UPDATE ${name(table)} SET ${change} WHERE ${among(key, chunk.length, dialect, rest.length)}`,
      values: [...valuesOf(rest, chunk[0] ?? {}), ...chunk.flatMap((row) => valuesOf(key, row))],
    })),
  )
}

function bySameValues(columns: readonly string[], rows: readonly Row[]): readonly (readonly Row[])[] {
  if (rows.length === 1) return [rows]
  const found = new Map<string, Row[]>()
  for (const row of rows) {
    const id = JSON.stringify(columns.map((column) => row[column]))
    const same = found.get(id)
    if (same) same.push(row)
    else found.set(id, [row])
  }
  return [...found.values()]
}

/** Powers of two, so that few texts do for any number of rows. */
function chunksOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const chunks: Row[][] = []
  let size = MAX_ROWS
  for (let at = 0; at < rows.length; at += size) {
    while (size > rows.length - at) size /= 2
    chunks.push(rows.slice(at, at + size))
  }
  return chunks
}

function valuesOf(columns: readonly string[], row: Row): Value[] {
  return columns.map((column) => row[column] ?? null)
}

function among(key: readonly string[], count: number, dialect: Dialect, after = 0): string {
  const list = tuples(count, key.length, dialect, after)
  // SQLite compares row values with a table only; PostgreSQL knows the types of parameters only in a list.
  return `(${names(key)}) IN (${dialect === 'sqlite' ? 'VALUES ' : ''}${list})`
}

function tuples(rows: number, columns: number, dialect: Dialect, after = 0): string {
  const list: string[] = []
  for (let row = 0; row < rows; row += 1) {
    const cells: string[] = []
    for (let i = 1; i <= columns; i += 1) cells.push(placeholder(after + row * columns + i, dialect))
    list.push(`(${cells.join(', ')})`)
  }
  return list.join(', ')
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
