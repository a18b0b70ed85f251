import type { Row, Write } from '../types/storage.ts'

/** Rows of one table, mode and shape, to be written in few statements. */
export interface Batch {
  readonly table: string
  readonly key: readonly string[]
  readonly mode: Write['mode']
  readonly columns: readonly string[]
  /** Asked of the rows that are really inserted; empty where no write asks. */
  readonly returning: readonly string[]
  readonly rows: readonly Row[]
  /** The job that each row came from, by the row's key (`identify`). */
  readonly owners: ReadonlyMap<string, number>
}

interface Group extends Omit<Batch, 'rows' | 'owners'> {
  readonly rows: Map<string, Row>
  readonly owners: Map<string, number>
}

/**
 * Merges the writes of many jobs into batches: rows of one table, mode and shape go together, and of several `put` rows
 * with one key only the last is written. Run in their order, the batches leave what running the writes one by one
 * would: a row that meets its own key in another group comes after everything before it.
 */
export function mergeWrites(jobs: readonly (readonly Write[])[]): Batch[] {
  const batches: Batch[] = []
  let groups = new Map<string, Group>()
  /** The group that each key was put into. */
  let seen = new Map<string, Group>()

  function flush(): void {
    for (const group of groups.values()) batches.push(toBatch(group))
    groups = new Map()
    seen = new Map()
  }

  for (const [owner, writes] of jobs.entries()) {
    for (const write of writes) {
      const { table, key, mode, returning = [] } = write
      for (const row of write.rows) {
        const columns = Object.keys(row)
        const shape = `${mode} ${table} ${columns.join()} ${returning.join()}`
        const id = identify(key, row)
        const place = `${table} ${id}`
        const met = seen.get(place)
        if (met && met !== groups.get(shape)) flush()
        let group = groups.get(shape)
        if (!group) {
          group = { table, key, mode, columns, returning, rows: new Map(), owners: new Map() }
          groups.set(shape, group)
        }
        if (mode !== 'add' || !group.rows.has(id)) {
          group.rows.set(id, row)
          group.owners.set(id, owner)
        }
        seen.set(place, group)
      }
    }
  }
  flush()
  return batches
}

/** A row by its key. */
export function identify(key: readonly string[], row: Row): string {
  const [first = ''] = key
  return key.length === 1 ? String(row[first]) : JSON.stringify(key.map((column) => row[column]))
}

function toBatch({ rows, ...group }: Group): Batch {
  const list = [...rows.values()]
  // PostgreSQL: two processes that write the same keys must lock them in the same order.
  if (group.mode !== 'add') list.sort((a, b) => compare(group.key, a, b))
  return { ...group, rows: list }
}

function compare(key: readonly string[], a: Row, b: Row): number {
  for (const column of key) {
    const left = String(a[column])
    const right = String(b[column])
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}
