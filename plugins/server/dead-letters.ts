import type { Events, PluginDb, Row, Vault } from 'wamux/plugin'

/** An event that a consumer refused its maximum number of times. */
export interface DeadLetter {
  readonly seq: number
  readonly session: string
  readonly event: string
  readonly type: string
  readonly attempts: number
  readonly error: string
  /** Milliseconds since 1970. */
  readonly time: number
}

export interface DeadLetters {
  /** By consumer. */
  counts(): Promise<ReadonlyMap<string, number>>
  /** Oldest first; of all seqs when `seqs` is absent. @param after only those with a larger seq. */
  of(
    consumer: string,
    seqs: readonly number[] | undefined,
    limit: number,
    after?: number,
  ): Promise<DeadLetter[]>
  /** @returns their number. */
  drop(consumer: string, seqs: readonly number[] | undefined): Promise<number>
}

type Deps = { db: PluginDb; events: Events; vault: Vault }

/** The kernel's own table. */
const TABLE = 'dead_letters'
/** Rows deleted in one transaction. */
const PART = 500

export function createDeadLetters({ db, events, vault }: Deps): DeadLetters {
  return {
    async counts() {
      const rows: Row[] = await db.read(TABLE).groupBy('consumer').select('consumer').count({ count: '*' })
      return new Map(rows.map((row) => [String(row['consumer']), Number(row['count'])]))
    },
    async of(consumer, seqs, limit, after = 0) {
      const query = db.read<Row>(TABLE).where({ consumer }).where('seq', '>', after)
      query.orderBy('seq').limit(limit)
      if (seqs) query.whereIn('seq', [...seqs])
      const rows = await query
      const lines = await events.lines(rows.map(({ seq }) => Number(seq)))
      const bySeq = new Map(lines.map((line) => [line.seq, line]))
      return rows.flatMap((row) => {
        const seq = Number(row['seq'])
        const line = bySeq.get(seq)
        if (!line) return []
        const { session, id: event, type } = line
        const error = vault.open(session, `${TABLE}/${consumer}/${seq}`, row['error'] as Buffer).toString()
        const [attempts, time] = [Number(row['attempts']), Number(row['time'])]
        return [{ seq, session, event, type, attempts, error, time }]
      })
    },
    async drop(consumer, seqs) {
      const all =
        seqs ?? (await db.read<Row>(TABLE).where({ consumer }).select('seq')).map(({ seq }) => Number(seq))
      let dropped = 0
      // In parts, since other writes wait for each.
      for (let at = 0; at < all.length; at += PART) {
        const part = all.slice(at, at + PART)
        dropped += await db.transact((trx) => trx(TABLE).where({ consumer }).whereIn('seq', part).del())
      }
      return dropped
    },
  }
}
