import type { Statement, Value } from './statements.ts'

/** More rows cost less by a prepared statement than their text costs to parse. */
const MAX_ROWS = 16
/** Characters and bytes of all values. */
const MAX_SIZE = 64 * 1024
const MAX_KEPT = 1_000
/** By text, what is between its placeholders. */
const kept = new Map<string, readonly string[]>()

/** Whether the values may stand in the text: they are few and short, and none has a NUL, which would end the text. */
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

/** The statement of SQLite with its values in the text, each as `literal` writes it. */
export function inline({ sql, values }: Statement, literal: (value: Value) => string): string {
  const pieces = piecesOf(sql)
  let text = pieces[0] ?? ''
  for (let i = 0; i < values.length; i += 1) text += literal(values[i] ?? null) + (pieces[i + 1] ?? '')
  return text
}

function piecesOf(sql: string): readonly string[] {
  const known = kept.get(sql)
  if (known) return known
  // Names of tables and columns are the code's own and have no such sign.
  const pieces = sql.split('?')
  if (kept.size < MAX_KEPT) kept.set(sql, pieces)
  return pieces
}
