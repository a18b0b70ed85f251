/**
 * The predicates of the partial indexes (migrations.ts), literally: SQLite uses such an index only for a query that repeats its
 * predicate. Sent and logged messages, nearly all of the tables, are in none of them.
 */
export const UNSENT = "state IN ('queued', 'sending')"
export const UNSETTLED = "state IN ('failed', 'unknown')"
export const OPEN = 'NOT done'
