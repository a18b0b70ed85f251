import type { Knex } from 'knex'

/**
 * The seq up to which a log with several writers is complete: commits are not in the order of seq. Resolves with a seq below
 * which no further line can appear. It does not advance during a long transaction that writes to the log.
 *
 * Such a transaction holds a lock on the table from before it takes a seq until its lines are visible; others, however long
 * they are open, hold none.
 */
export function createHorizon(read: Knex): () => Promise<number> {
  let settled = 0
  /** Seqs up to `seq` belong to transactions that have ended, or to these. */
  let pending: { seq: number; writers: ReadonlySet<string> } | undefined

  return async () => {
    // Read first: a transaction with a later seq may begin to write after the list of those that write.
    const seq = Number((await read('events_seq_seq').first('last_value')).last_value)
    if (seq <= settled) return settled
    const { rows } = await read.raw(WRITERS)
    const writers = new Set(rows.map((row: { id: string }) => row.id))
    if (pending && ![...pending.writers].some((id) => writers.has(id))) {
      settled = Math.max(settled, pending.seq)
      pending = undefined
    }
    if (writers.size === 0) settled = Math.max(settled, seq)
    else pending ??= { seq, writers: writers as ReadonlySet<string> }
    return settled
  }
}

const WRITERS = `
  SELECT virtualtransaction AS id FROM pg_locks
  WHERE locktype = 'relation' AND relation = 'events'::regclass AND granted AND mode IN (
    'RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
