import type { PluginDb, Row } from 'wamux/plugin'
import type { Endpoints } from '../endpoints/endpoints.ts'

export interface Backlog {
  readonly count: number
  /** When the oldest one was enqueued, milliseconds since 1970. */
  readonly since: number
}

/** Pending deliveries. */
export interface Backlogs {
  /** By session, for its own webhooks. */
  bySession(): Promise<ReadonlyMap<string, Backlog>>
  /** By endpoint. */
  byEndpoint(): Promise<ReadonlyMap<string, Backlog>>
  /** Numbers of dead letters. */
  deadByEndpoint(): Promise<ReadonlyMap<string, number>>
}

/** Counted on the index of pending rows, in which each endpoint's first row is the oldest. */
export function createBacklogs({ db, endpoints }: { db: PluginDb; endpoints: Endpoints }): Backlogs {
  async function byEndpoint(): Promise<Map<string, Backlog>> {
    const table = db.table('deliveries')
    const rows = await db
      .read<Row>(table)
      .whereRaw("state = 'pending'")
      .groupBy('endpoint')
      .select('endpoint')
      .count({ count: '*' })
      .min({ seq: 'seq' })
    const found = new Map<string, Backlog>()
    for (const { endpoint, count, seq } of rows) {
      const oldest = await db.read<Row>(table).where({ endpoint, seq }).first('entered')
      if (oldest) found.set(String(endpoint), { count: Number(count), since: Number(oldest['entered']) })
    }
    return found
  }
  return {
    byEndpoint,
    async deadByEndpoint() {
      const query = db.read<Row>(db.table('deliveries')).whereRaw("state = 'dead'").groupBy('endpoint')
      const rows: Row[] = await query.select('endpoint').count({ count: '*' })
      return new Map(rows.map(({ endpoint, count }) => [String(endpoint), Number(count)]))
    },
    async bySession() {
      const found = new Map<string, Backlog>()
      for (const [id, { count, since }] of await byEndpoint()) {
        const session = endpoints.byId(id)?.session
        if (!session) continue
        const known = found.get(session) ?? { count: 0, since }
        found.set(session, { count: known.count + count, since: Math.min(known.since, since) })
      }
      return found
    },
  }
}
