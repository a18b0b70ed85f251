import type { Events, LogEvent, PluginDb, Row, Vault } from 'wamux/plugin'

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly endpoint: string
  readonly seq: number
  /** The event's own; another one once it has held its chat back for too long. */
  readonly lane: string
  readonly jid: string
  readonly attempts: number
  readonly step: number
  readonly nextAt: number
  readonly line: LogEvent
}

export interface Change {
  state?: 'pending' | 'done' | 'dead'
  lane?: string
  attempts?: number
  step?: number
  nextAt?: number
  last?: string
}

export interface Page {
  readonly rows: readonly Delivery[]
  /** Nothing follows. */
  readonly isLast: boolean
  /** Newest row that was looked at; 0 for none. */
  readonly last: number
}

/** The table of what is to be delivered. What is delivered is read from the log. */
export interface Deliveries {
  /** Those that are there already stay as they are. */
  add(deliveries: readonly Delivery[]): Promise<void>
  /** What an endpoint has still to get after `seq`, oldest first, but nothing of the lanes in `without`. */
  pending(endpoint: string, seq: number, without: readonly string[], limit: number): Promise<Page>
  /** The same of one lane, from its head to `last`. */
  pendingOf(endpoint: string, lane: string, last: number, limit: number): Promise<Page>
  change(delivery: Pick<Delivery, 'endpoint' | 'seq'>, change: Change): Promise<void>
}

interface Deps {
  db: PluginDb
  events: Events
  vault: Vault
}

export const KEY = ['seq', 'endpoint']

export function createDeliveries({ db, events, vault }: Deps): Deliveries {
  // A literal, not a parameter: SQLite takes the partial index only when it can see the state.
  const query = (endpoint: string, limit: number) =>
    db
      .read<Row>(db.table('deliveries'))
      .whereRaw("state = 'pending'")
      .where({ endpoint })
      .orderBy('seq')
      .limit(limit)

  async function toPage(rows: readonly Row[], limit: number): Promise<Page> {
    const lines = await events.lines(rows.map((row) => Number(row['seq'])))
    const bySeq = new Map(lines.map((line) => [line.seq, line]))
    const found = rows.flatMap((row) => {
      const line = bySeq.get(Number(row['seq']))
      return line ? [fromRow(vault, row, line)] : []
    })
    return { rows: found, isLast: rows.length < limit, last: Number(rows.at(-1)?.['seq'] ?? 0) }
  }

  return {
    async add(deliveries) {
      const entered = Date.now()
      await db.write([
        db.add(
          'deliveries',
          KEY,
          deliveries.map((delivery) => toRow(vault, delivery, entered)),
        ),
      ])
    },
    async pending(endpoint, seq, without, limit) {
      // Before the page: what comes later is told of by whoever enters it.
      const newest = await query(endpoint, 1).clear('order').orderBy('seq', 'desc').first('seq')
      const page = await toPage(
        await query(endpoint, limit)
          .where('seq', '>', seq)
          .whereNotIn('lane', [...without]),
        limit,
      )
      return page.isLast ? { ...page, last: Math.max(page.last, Number(newest?.['seq'] ?? 0)) } : page
    },
    pendingOf: async (endpoint, lane, last, limit) =>
      toPage(await query(endpoint, limit).where({ lane }).where('seq', '<=', last), limit),
    change: ({ seq, endpoint }, { nextAt, ...rest }) =>
      db.write([
        db.update('deliveries', KEY, [
          { seq, endpoint, ...rest, ...(nextAt === undefined ? {} : { next_at: nextAt }) },
        ]),
      ]),
  }
}

function toRow(vault: Vault, { line, jid, nextAt, ...rest }: Delivery, entered: number): Row {
  const sealed = vault.seal(line.session, placeOf(rest), jid)
  return { ...rest, jid: sealed, state: 'pending', next_at: nextAt, entered, last: '' }
}

function placeOf({ endpoint, seq }: Pick<Delivery, 'endpoint' | 'seq'>): string {
  return `webhook_deliveries/${endpoint}/${seq}`
}

function fromRow(vault: Vault, row: Row, line: LogEvent): Delivery {
  const endpoint = String(row['endpoint'])
  const { session, seq } = line
  return {
    endpoint,
    seq,
    lane: String(row['lane']),
    jid: vault.open(session, placeOf({ endpoint, seq }), row['jid'] as Buffer).toString(),
    attempts: Number(row['attempts']),
    step: Number(row['step']),
    nextAt: Number(row['next_at']),
    line,
  }
}
