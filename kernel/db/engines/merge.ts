import type { Row, Write } from '../../types/storage.ts'

/** Rows of one table, mode and shape, to be written in few statements. */
export interface Batch {
  readonly table: string
  readonly key: readonly string[]
  readonly mode: Write['mode']
  readonly columns: readonly string[]
  /** Columns returned of inserted rows; empty if no write requests any. */
  readonly returning: readonly string[]
  /** Identifies it by mode, table, key and columns. */
  readonly shape: string
  readonly rows: readonly Row[]
  /** One above the last batch that wrote one of its rows; 0 without one. */
  readonly level: number
  /** The job that each row came from, by the row's key (`identify`). */
  readonly owners: ReadonlyMap<string, number>
}

/** A batch being filled; its rows come last. */
interface Group extends Batch {
  readonly byKey: Map<string, Row>
  readonly owners: Map<string, number>
  rows: readonly Row[]
}

/**
 * Merges the writes of many jobs into batches: rows of one table, mode and shape go together, and only the last of several
 * `put` rows with the same key is written. Executed in order, the batches have the same result as the writes one by one: a
 * row whose key is already in another batch goes one level further, and a whole level is executed before the next.
 */
export function mergeWrites(jobs: readonly (readonly Write[])[]): Batch[] {
  const levels: Map<string, Group>[] = []
  /** The last group that each key was put into. */
  const last = new Map<string, Group>()

  function groupFor(write: Write, row: Row, before: Group | undefined): Group {
    const columns = Object.keys(row)
    const shape = shapeOf(write, columns)
    if (before?.shape === shape) return before
    const level = before ? before.level + 1 : 0
    levels[level] ??= new Map()
    const found = levels[level].get(shape)
    if (found) return found
    const { table, key, mode, returning = [] } = write
    const made = {
      table,
      key,
      mode,
      columns,
      returning,
      shape,
      level,
      byKey: new Map(),
      owners: new Map(),
      rows: [],
    }
    levels[level].set(shape, made)
    return made
  }

  for (let owner = 0; owner < jobs.length; owner += 1) {
    for (const write of jobs[owner] ?? []) {
      for (const row of write.rows) {
        const id = identify(write.key, row)
        const place = `${write.table} ${id}`
        const group = groupFor(write, row, last.get(place))
        last.set(place, group)
        if (write.mode === 'add' && group.byKey.has(id)) continue
        group.byKey.set(id, row)
        group.owners.set(id, owner)
      }
    }
  }
  const groups = levels.flatMap((level) => [...level.values()])
  for (const group of groups) group.rows = rowsOf(group)
  return groups
}

function rowsOf({ mode, key, byKey }: Group): readonly Row[] {
  const rows = [...byKey.values()]
  // PostgreSQL: two processes that write the same keys must lock them in the same order.
  return mode === 'add' ? rows : rows.sort((a, b) => compare(key, a, b))
}

function shapeOf({ mode, table, key, returning }: Write, columns: readonly string[]): string {
  return `${mode} ${table} ${key.join()} ${columns.join()} ${returning?.join() ?? ''}`
}

/** A row by its key. */
export function identify(key: readonly string[], row: Row): string {
  const [first = ''] = key
  return key.length === 1 ? String(row[first]) : JSON.stringify(key.map((column) => row[column]))
}

function compare(key: readonly string[], a: Row, b: Row): number {
  for (const column of key) {
    const left = String(a[column])
    const right = String(b[column])
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}
