import type { Knex } from 'knex'
import type { Row, Write } from '../types/storage.ts'

/** Rows in one statement: knex inserts several into SQLite by a compound SELECT, which may have 500 terms. */
const CHUNK = 450

interface Group {
  readonly table: string
  readonly key: readonly string[]
  readonly mode: Write['mode']
  readonly returning: readonly string[]
  readonly rows: Map<string, { row: Row; owner: number }>
}

/**
 * Runs the writes of many jobs in few statements: rows of one table, mode and shape are grouped, and of several `put`
 * rows with one key only the last is written. The result is that of running them one by one: before a row whose key is
 * already in another group, everything so far is written.
 *
 * @returns for each job the `returning` columns of the rows that its `add` writes inserted.
 */
export async function mergeWrites(
  trx: Knex.Transaction,
  jobs: readonly (readonly Write[])[],
): Promise<Row[][]> {
  const inserted: Row[][] = jobs.map(() => [])
  let groups = new Map<string, Group>()
  let seen = new Map<string, Group>()

  const flush = async (): Promise<void> => {
    for (const group of groups.values()) {
      for (const { row, owner } of await runGroup(trx, group)) inserted[owner]?.push(row)
    }
    groups = new Map()
    seen = new Map()
  }

  for (const [owner, writes] of jobs.entries()) {
    for (const write of writes) {
      for (const row of write.rows) {
        const shape = `${write.mode} ${write.table} ${Object.keys(row).join()} ${write.returning ?? ''}`
        const id = identify(write.key, row)
        const target = `${write.table} ${id}`
        const earlier = seen.get(target)
        if (earlier && earlier !== groups.get(shape)) await flush()
        const group = groups.get(shape) ?? newGroup(groups, shape, write)
        if (write.mode !== 'add' || !group.rows.has(id)) group.rows.set(id, { row, owner })
        seen.set(target, group)
      }
    }
  }
  await flush()
  return inserted
}

function newGroup(groups: Map<string, Group>, shape: string, write: Write): Group {
  const { table, key, mode, returning = key } = write
  const group = { table, key, mode, returning, rows: new Map() }
  groups.set(shape, group)
  return group
}

async function runGroup(trx: Knex.Transaction, group: Group): Promise<{ row: Row; owner: number }[]> {
  const entries = [...group.rows.values()]
  // PostgreSQL: two processes that write the same keys must lock them in the same order.
  if (group.mode !== 'add') entries.sort((a, b) => compare(group.key, a.row, b.row))
  const inserted: { row: Row; owner: number }[] = []
  for (let at = 0; at < entries.length; at += CHUNK) {
    const rows = entries.slice(at, at + CHUNK).map((entry) => entry.row)
    for (const row of await runChunk(trx, group, rows)) {
      const owner = group.rows.get(identify(group.key, row))?.owner
      if (owner !== undefined) inserted.push({ row, owner })
    }
  }
  return inserted
}

async function runChunk(trx: Knex.Transaction, group: Group, rows: Row[]): Promise<Row[]> {
  const key = [...group.key]
  if (group.mode === 'remove') {
    await select(trx, group, rows).del()
    return []
  }
  if (group.mode === 'update') {
    for (const [change, same] of byChange(key, rows)) await select(trx, group, same).update(change)
    return []
  }
  const insert = trx(group.table).insert(rows).onConflict(key)
  if (group.mode === 'add') return (await insert.ignore().returning([...group.returning])) as Row[]
  const rest = Object.keys(rows[0] ?? {}).filter((column) => !key.includes(column))
  await (rest.length > 0 ? insert.merge(rest) : insert.ignore())
  return []
}

function select(trx: Knex.Transaction, { table, key }: Group, rows: readonly Row[]): Knex.QueryBuilder {
  const values = rows.map((row) => key.map((column) => row[column] as string))
  return trx(table).whereIn([...key], values)
}

/** Groups rows that get the same values: to mark a hundred as done is one statement. */
function byChange(key: readonly string[], rows: readonly Row[]): Map<Row, Row[]> {
  const found = new Map<string, { change: Row; rows: Row[] }>()
  for (const row of rows) {
    const change = Object.fromEntries(Object.entries(row).filter(([column]) => !key.includes(column)))
    const id = JSON.stringify(change)
    const entry = found.get(id) ?? { change, rows: [] }
    entry.rows.push(row)
    found.set(id, entry)
  }
  return new Map([...found.values()].map((entry) => [entry.change, entry.rows]))
}

function identify(key: readonly string[], row: Row): string {
  return JSON.stringify(key.map((column) => row[column]))
}

function compare(key: readonly string[], a: Row, b: Row): number {
  for (const column of key) {
    const left = String(a[column])
    const right = String(b[column])
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}
