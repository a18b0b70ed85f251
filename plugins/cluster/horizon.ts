import type { Knex } from 'knex'

/**
 * The seq up to which a log with several writers is complete: commits are not in the order of seq. Resolves with a seq below
 * which no further line can appear. It does not advance during a long transaction.
 */
export function createHorizon(read: Knex): () => Promise<number> {
  let settled = 0
  /** Seqs up to `seq` belong to transactions older than `before`. */
  let pending: { seq: number; before: bigint } | undefined

  return async () => {
    // Read first: a transaction with a later seq may be newer than the snapshot.
    const seq = Number((await read('events_seq_seq').first('last_value')).last_value)
    const { rows } = await read.raw(
      'SELECT pg_snapshot_xmin(s)::text AS oldest, pg_snapshot_xmax(s)::text AS next FROM pg_current_snapshot() AS s',
    )
    const [oldest, next] = [BigInt(rows[0].oldest), BigInt(rows[0].next)]
    if (pending && oldest >= pending.before) {
      settled = Math.max(settled, pending.seq)
      pending = undefined
    }
    if (oldest >= next) settled = Math.max(settled, seq)
    else pending ??= { seq, before: next }
    return settled
  }
}
