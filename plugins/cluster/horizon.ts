import type { Knex } from 'knex'

/**
 * Up to which seq a log that several processes write to is complete: their commits are not in the order of seq. Resolves
 * with a seq such that no line below it can appear any more. It stands still while a transaction runs for long.
 */
export function createHorizon(read: Knex): () => Promise<number> {
  let settled = 0
  /** Seqs up to `seq` were given to transactions that are older than `before`. */
  let pending: { seq: number; before: bigint } | undefined

  return async () => {
    // First: a transaction that is given a later seq may be newer than the snapshot.
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
