import type { Events, LogEvent, PluginDb, Row, Vault, Write } from 'wamux/plugin'
import type { Completions } from './completions.ts'
import { type Delivery, KEY } from './delivery.ts'

export interface DeliveryChange {
  state?: 'pending' | 'done' | 'dead'
  lane?: string
  attempts?: number
  step?: number
  nextAt?: number
  last?: string
  /** End and duration of the last attempt, in milliseconds. */
  at?: number
  ms?: number
  /** In the column's form (`partsColumn`). */
  parts?: string | null
}

/** The rows to read, by seq. */
export interface PageRange {
  /** Exclusive. */
  readonly after: number
  /** Inclusive. */
  readonly last: number
}

export interface DeliveryPage {
  readonly rows: readonly Delivery[]
  /** No further rows follow. */
  readonly isLast: boolean
  /** Seq of the newest row read; 0 for none. */
  readonly last: number
}

/** The table of deliveries. The events themselves are read from the event log. */
export interface Deliveries {
  /** Existing rows are not changed. */
  add(deliveries: readonly Delivery[]): Promise<void>
  /** The given events for which the endpoint has a delivery. */
  existing(endpoint: string, seqs: readonly number[]): Promise<Set<number>>
  /** Seq of the newest pending delivery of an endpoint; 0 for none. */
  newest(endpoint: string): Promise<number>
  /** Pending deliveries of an endpoint in the range, oldest first, except those of the lanes in `without`. */
  pending(
    endpoint: string,
    range: PageRange,
    without: readonly string[],
    limit: number,
  ): Promise<DeliveryPage>
  /** Pending deliveries of one lane, from its head to `last`. */
  pendingOf(endpoint: string, lane: string, last: number, limit: number): Promise<DeliveryPage>
  change(
    delivery: Pick<Delivery, 'endpoint' | 'seq'>,
    change: DeliveryChange,
    also?: readonly Write[],
  ): Promise<void>
}

interface Deps {
  db: PluginDb
  events: Events
  vault: Vault
  completions: Completions
}

export function createDeliveries({ db, events, vault, completions }: Deps): Deliveries {
  const times = storedTimes(db)
  // A literal, not a parameter: SQLite uses the partial index only when the state is part of the statement.
  const pending = (endpoint: string, limit: number) =>
    db
      .read<Row>(db.table('deliveries'))
      .whereRaw("state = 'pending'")
      .where({ endpoint })
      .orderBy('seq')
      .limit(limit)

  async function read(query: PromiseLike<Row[]>, limit: number): Promise<DeliveryPage> {
    await completions.flush()
    const rows = await query
    const lines = await events.lines(rows.map((row) => Number(row['seq'])))
    const bySeq = new Map(lines.map((line) => [line.seq, line]))
    const found = rows.flatMap((row) => {
      const line = bySeq.get(Number(row['seq']))
      return line ? [fromRow(vault, times, row, line)] : []
    })
    return { rows: found, isLast: rows.length < limit, last: Number(rows.at(-1)?.['seq'] ?? 0) }
  }

  return {
    async add(deliveries) {
      await db.write([
        db.add(
          'deliveries',
          KEY,
          deliveries.map((delivery) => toRow(vault, times, delivery)),
        ),
      ])
    },
    async existing(endpoint, seqs) {
      const rows = await db
        .read<Row>(db.table('deliveries'))
        .where({ endpoint })
        .whereIn('seq', [...seqs])
        .select('seq')
      return new Set(rows.map((row) => Number(row['seq'])))
    },
    async newest(endpoint) {
      const row = await pending(endpoint, 1).clear('order').orderBy('seq', 'desc').first('seq')
      return Number(row?.['seq'] ?? 0)
    },
    pending: (endpoint, { after, last }, without, limit) =>
      read(
        pending(endpoint, limit)
          .where('seq', '>', after)
          .where('seq', '<=', last)
          .whereNotIn('lane', [...without]),
        limit,
      ),
    pendingOf: (endpoint, lane, last, limit) =>
      read(pending(endpoint, limit).where({ lane }).where('seq', '<=', last), limit),
    change: ({ seq, endpoint }, { nextAt, ...rest }, also = []) =>
      db.write([
        db.update('deliveries', KEY, [
          { seq, endpoint, ...rest, ...(nextAt === undefined ? {} : { next_at: times.toStored(nextAt) }) },
        ]),
        ...also,
      ]),
  }
}

function toRow(
  vault: Vault,
  { toStored }: StoredTimes,
  { line, jid, nextAt, entered, parts: _, ...rest }: Delivery,
): Row {
  const sealed = vault.seal(line.session, vaultLabel(rest), jid)
  return {
    ...rest,
    jid: sealed,
    state: 'pending',
    next_at: toStored(nextAt),
    entered: toStored(entered),
    last: '',
  }
}

/** The row change that records the bodies not accepted yet; none for all of them. */
export function partsColumn(parts: readonly number[] | undefined): Pick<DeliveryChange, 'parts'> {
  return parts ? { parts: JSON.stringify(parts) } : {}
}

function vaultLabel({ endpoint, seq }: Pick<Delivery, 'endpoint' | 'seq'>): string {
  return `webhook_deliveries/${endpoint}/${seq}`
}

function fromRow(vault: Vault, { fromStored }: StoredTimes, row: Row, line: LogEvent): Delivery {
  const endpoint = String(row['endpoint'])
  const { session, seq } = line
  return {
    endpoint,
    seq,
    lane: String(row['lane']),
    jid: vault.open(session, vaultLabel({ endpoint, seq }), row['jid'] as Buffer).toString(),
    attempts: Number(row['attempts']),
    step: Number(row['step']),
    nextAt: fromStored(Number(row['next_at'])),
    entered: fromStored(Number(row['entered'])),
    parts: row['parts'] ? (JSON.parse(String(row['parts'])) as number[]) : undefined,
    line,
  }
}

/**
 * Times in rows that another process may read are the database's: a process whose clock is fast must not make the one that
 * takes over wait. Times in memory are by this process's own clock, as its timers are. 0 stands for none in both.
 */
interface StoredTimes {
  toStored(time: number): number
  fromStored(time: number): number
}

export function storedTimes({ now }: Pick<PluginDb, 'now'>): StoredTimes {
  const shifted = (time: number, by: number): number => (time === 0 ? 0 : time + by)
  return {
    toStored: (time) => shifted(time, now() - Date.now()),
    fromStored: (time) => shifted(time, Date.now() - now()),
  }
}
