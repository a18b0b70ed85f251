import type { Row } from '../../types/storage.ts'
import type { Statement } from './statements.ts'

/** Above this number of rows the messages of a turn share its statements, and the forms would be too many to prepare. */
const MAX_ROWS = 16
/**
 * Texts that are combined: the frequent ones are met first. Each stays prepared on the server, where planning one anew costs
 * more than its parts, prepared, cost to execute.
 */
const MAX_TEXTS = 200
/** The combined text, by the texts of the parts. */
const kept = new Map<string, string>()

/** Statements to execute, and the rows that each of the given ones returns. */
export interface Combined {
  readonly statements: readonly Statement[]
  /** @param results of `statements`. */
  spread(results: readonly Row[][]): Row[][]
}

/**
 * Combines the writes of a small turn into one statement of data-modifying WITH clauses (PostgreSQL's manual, "Data-Modifying
 * Statements in WITH"): the server binds and executes once. All parts see the rows as they were before, so none may write a
 * row of another, and they are executed in no certain order.
 */
export function combine(statements: readonly Statement[]): Combined {
  const first = statements.findIndex(({ level }) => level !== undefined)
  const parts = first < 0 ? [] : statements.slice(first)
  const returning = parts.filter(({ isReturning }) => isReturning)
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const apart = { statements, spread: (results: readonly Row[][]) => [...results] }
  const isOrdered = returning.length > 1 || parts.some(({ level, isSplit }) => level !== 0 || isSplit)
  if (parts.length < 2 || rows > MAX_ROWS || isOrdered) return apart
  // Only the last one's rows are returned.
  const [last = parts.at(-1)] = returning
  const ordered = [...parts].sort((a, b) => Number(a === last) - Number(b === last))
  const sql = textOf(ordered)
  if (sql === undefined) return apart
  const combined: Statement = {
    sql,
    values: ordered.flatMap(({ values }) => values),
    rows,
    isReturning: returning.length > 0,
  }
  return {
    statements: [...statements.slice(0, first), combined],
    spread: (results) => [
      ...results.slice(0, first),
      ...parts.map((part) => (part === last ? (results[first] ?? []) : [])),
    ],
  }
}

/** With the placeholders of each part numbered after those of the parts before it; undefined if there are too many texts. */
function textOf(parts: readonly Statement[]): string | undefined {
  const id = parts.map(({ sql }) => sql).join(';')
  const known = kept.get(id)
  if (known || kept.size >= MAX_TEXTS) return known
  let after = 0
  const texts = parts.map(({ sql, values }) => {
    const text = sql.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + after}`)
    after += values.length
    return text
  })
  const clauses = texts.slice(0, -1).map((text, i) => `w${i} AS (${text})`)
  const last = texts.at(-1) ?? ''
  // The last part may begin with a clause of its own.
  const text = last.startsWith('WITH ')
    ? `WITH ${clauses.join(', ')}, ${last.slice('WITH '.length)}`
    : `WITH ${clauses.join(', ')} ${last}`
  kept.set(id, text)
  return text
}
