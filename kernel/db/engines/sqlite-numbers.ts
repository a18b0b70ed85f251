import type { Row } from '../../types/storage.ts'
import type { Statement } from './statements.ts'

/**
 * Keys remembered of each table: a row is mostly repeated soon after it was written, or never. One that retention has
 * dropped meanwhile still counts as written.
 */
const MAX_RECENT = 2_000

/** The numbers that SQLite would give to new rows: this process is the only one that inserts. */
export interface Numbers {
  /** Numbers the rows of a statement; undefined while the next number is unknown and the database must give it. */
  assign(statement: Statement): Assigned | undefined
  /** Learns from the rows that the database returned of a statement. */
  learn(statement: Statement, rows: readonly Row[]): void
  /** After a failure: it is unknown which rows the table has. */
  forget(): void
}

/** The rows to insert, without those known to be in the table, and what the statement returns of them. */
export interface Assigned {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  readonly returned: Row[]
}

interface Known {
  next: number
  recent: Set<string>
}

export function createNumbers(): Numbers {
  const tables = new Map<string, Known>()

  return {
    assign({ numbered }) {
      const known = numbered && tables.get(numbered.table)
      if (!known) return undefined
      const { key, number, columns } = numbered
      const added = numbered.rows.filter((row) => !known.recent.has(String(row[key])))
      const rows = added.map((row, index) => ({ [number]: known.next + index, ...row }))
      known.next += rows.length
      remember(known, added, key)
      const returned = rows.map((row: Row) => ({ [key]: row[key], [number]: row[number] }))
      return { columns: [number, ...columns], rows, returned }
    },
    learn({ numbered }, rows) {
      if (!numbered || rows.length === 0) return
      const { table, key, number } = numbered
      const known = tables.get(table) ?? { next: 0, recent: new Set() }
      known.next = Math.max(known.next, ...rows.map((row) => Number(row[number]) + 1))
      remember(known, rows, key)
      tables.set(table, known)
    },
    forget: () => tables.clear(),
  }
}

function remember({ recent }: Known, rows: readonly Row[], key: string): void {
  for (const row of rows) recent.add(String(row[key]))
  for (const id of recent) {
    if (recent.size <= MAX_RECENT) return
    recent.delete(id)
  }
}
