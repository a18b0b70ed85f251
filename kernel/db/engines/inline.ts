import type { Statement, Value } from './statements.ts'

/** As many as a busy turn has. Parsing their text costs less than a call of a prepared statement for each kind of row. */
const MAX_ROWS = 1_000
/** Total characters and bytes of the values: larger ones are not copied into a text that is twice as long. */
const MAX_SIZE = 256 * 1024
const MAX_KEPT = 1_000
/** By statement, the text between its placeholders. */
const kept = new Map<string, readonly string[]>()

/** Whether the values can be inlined: few, short and without a NUL, which would end the text. */
export function isInlinable(statements: readonly Statement[]): boolean {
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
export function inline({ sql, values }: Statement, literal: (value: Value) => string): string {
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
