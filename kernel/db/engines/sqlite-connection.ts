import type { Database, Statement as Prepared } from 'sqlite3'
import type { Row } from '../../types/storage.ts'
import { importSqlite } from './sqlite-module.ts'
import { createNumbers, type Numbers } from './sqlite-numbers.ts'
import { plain, plainInsert, type Statement, type Value } from './statements.ts'
import type { WriteConnection } from './write-connection.ts'

/** Row shapes times chunk sizes; a statement takes some kilobytes. */
const MAX_PREPARED = 500
const BEGIN = plain('BEGIN IMMEDIATE')
const COMMIT = plain('COMMIT')
const ROLLBACK = plain('ROLLBACK')

/** Opens `file` with `pragmas` set. */
export async function openSqliteConnection(
  file: string,
  pragmas: readonly string[],
): Promise<WriteConnection> {
  const sqlite3 = await importSqlite(file)
  const database = await new Promise<Database>((resolve, reject) => {
    const opened = new sqlite3.Database(file, (error) => (error ? reject(error) : resolve(opened)))
  })
  const prepared = new Map<string, Prepared>()
  const numbers = createNumbers()

  async function close(): Promise<void> {
    for (const statement of prepared.values()) statement.finalize()
    prepared.clear()
    await new Promise<void>((resolve, reject) => {
      database.close((error) => (error ? reject(error) : resolve()))
    })
  }

  async function prepare(text: string): Promise<Prepared> {
    const kept = prepared.get(text)
    if (kept) return kept
    const statement = await new Promise<Prepared>((resolve, reject) => {
      const made = database.prepare(text, (error: Error | null) => (error ? reject(error) : resolve(made)))
    })
    const [oldest] = prepared.keys()
    if (prepared.size >= MAX_PREPARED && oldest !== undefined) {
      prepared.get(oldest)?.finalize()
      prepared.delete(oldest)
    }
    prepared.set(text, statement)
    return statement
  }

  try {
    await exec(database, pragmas.join(';'))
  } catch (error) {
    await close()
    throw error
  }
  async function run(statement: Statement): Promise<Row[]> {
    const prepared = await prepare(statement.sql)
    const rows = await new Promise<Row[]>((resolve, reject) => {
      prepared.all<Row>(statement.values, (error, rows) => (error ? reject(error) : resolve(rows)))
    })
    numbers.learn(statement, rows)
    return rows
  }

  async function runEach(statements: readonly Statement[]): Promise<Row[][]> {
    const results: Row[][] = []
    for (const statement of statements) results.push(await run(statement))
    return results
  }

  /**
   * Each call crosses to a thread and back, which costs more than the statement itself. Only statements whose rows this
   * process can't tell beforehand need their own call.
   */
  async function runTogether(
    statements: readonly Statement[],
    assign: Numbers['assign'] = () => undefined,
  ): Promise<Row[][]> {
    const results: Row[][] = []
    let script = ''
    for (const statement of statements) {
      const assigned = assign(statement)
      if (assigned && statement.numbered) {
        const { columns, rows, returned } = assigned
        if (rows.length > 0) script += `${inline(plainInsert(statement.numbered, columns, rows), literal)};`
        results.push(returned)
        continue
      }
      if (!statement.isReturning) {
        script += `${inline(statement, literal)};`
        results.push([])
        continue
      }
      if (script) await exec(database, script)
      script = ''
      results.push(await run(statement))
    }
    if (script) await exec(database, script)
    return results
  }

  async function commit(statements: readonly Statement[]): Promise<Row[][]> {
    const all = [BEGIN, ...statements, COMMIT]
    if (!isInlinable(statements)) return runEach(all)
    try {
      return await runTogether(all, numbers.assign)
    } catch (error) {
      const isNumbered = statements.some(({ numbered }) => numbered)
      if (!isNumbered || (error as { code?: string }).code !== 'SQLITE_CONSTRAINT') throw error
      // The table has one of the rows: the database must say which ones are new.
      numbers.forget()
      await run(ROLLBACK)
      return runTogether(all)
    }
  }

  return {
    dialect: 'sqlite',
    async commit(statements) {
      try {
        return (await commit(statements)).slice(1, -1)
      } catch (error) {
        numbers.forget()
        throw error
      }
    },
    reset: () => run(ROLLBACK),
    close,
  }
}

function literal(value: Value): string {
  if (Buffer.isBuffer(value)) return `x'${value.toString('hex')}'`
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return typeof value === 'boolean' ? String(Number(value)) : String(value ?? 'NULL')
}

function exec(database: Database, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    database.exec(sql, (error) => (error ? reject(error) : resolve()))
  })
}

/** As many as a busy turn has. Parsing their text costs less than a call of a prepared statement for each kind of row. */
const MAX_ROWS = 1_000
/** Total characters and bytes of the values: larger ones are not copied into a text that is twice as long. */
const MAX_SIZE = 256 * 1024
const MAX_KEPT = 1_000
/** By statement, the text between its placeholders. */
const kept = new Map<string, readonly string[]>()

/** Whether the values can be inlined: few, short and without a NUL, which would end the text. */
function isInlinable(statements: readonly Statement[]): boolean {
  let size = 0
  let rows = 0
  for (const statement of statements) {
    rows += statement.rows
    for (const value of statement.values) {
      if (typeof value === 'string' && value.includes('\0')) return false
      if (typeof value === 'string' || Buffer.isBuffer(value)) size += value.length
    }
  }
  return rows <= MAX_ROWS && size <= MAX_SIZE
}

/** An SQLite statement with its values inlined as `literal` writes them. */
function inline({ sql, values }: Statement, literal: (value: Value) => string): string {
  const pieces = piecesOf(sql)
  let text = pieces[0] ?? ''
  for (let i = 0; i < values.length; i += 1) text += literal(values[i] ?? null) + (pieces[i + 1] ?? '')
  return text
}

function piecesOf(sql: string): readonly string[] {
  const known = kept.get(sql)
  if (known) return known
  // Table and column names come from this code and contain no placeholder.
  const pieces = sql.split('?')
  if (kept.size < MAX_KEPT) kept.set(sql, pieces)
  return pieces
}
