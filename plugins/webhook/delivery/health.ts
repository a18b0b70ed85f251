import { type PluginDb, type Row, type Static, T } from 'wamux/plugin'
import type { HostBreakers } from '../dispatch/host-breakers.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { timeOf } from './attempt-log.ts'
import type { Completions } from './completions.ts'

/** The state of deliveries to one endpoint. */
export const EndpointHealth = T.Object(
  {
    Id: T.String({ description: '`main` for the webhook of POST /webhook' }),
    Breaker: T.String({ description: 'Circuit breaker of its host: closed, open or half-open' }),
    BreakerUntil: T.String({ description: 'When an open breaker is probed; empty while it is not open' }),
    Pending: T.Integer({ description: 'Number of pending deliveries' }),
    OldestPending: T.String({ description: 'When the oldest one was enqueued; empty for none' }),
    NextAt: T.String({ description: 'Time of the next planned retry; empty for none' }),
    Dead: T.Integer({ description: 'Dead letters' }),
    LastError: T.String({
      description:
        'Status or error of the last failed attempt of what waits or is a dead letter; empty without one',
    }),
    Recent: T.Array(
      T.Object({
        Seq: T.Integer(),
        State: T.String({ description: 'pending, done or dead' }),
        Attempts: T.Integer(),
        Milliseconds: T.Optional(T.Integer({ description: 'Duration of the last attempt' })),
      }),
      { description: 'Its last 60 deliveries, newest first' },
    ),
  },
  { title: 'WebhookHealth' },
)

export interface EndpointHealth {
  of(endpoint: Endpoint): Promise<Static<typeof EndpointHealth>>
  /** Numbers of pending deliveries and dead letters by endpoint, 0 for those without any. */
  counts(endpoints: readonly string[]): Promise<ReadonlyMap<string, Counts>>
}

export interface Counts {
  readonly pending: number
  readonly dead: number
}

interface Deps {
  db: PluginDb
  hostBreakers: HostBreakers
  completions: Completions
}

const RECENT = 60
/** Number of the newest deliveries, of all endpoints, among which recent ones are searched. */
const WINDOW = 20_000
/** Most pending deliveries searched for the next retry. */
const HEADS = 500

export function createHealth({ db, hostBreakers, completions }: Deps): EndpointHealth {
  const table = db.table('deliveries')
  // A literal, not a parameter: SQLite uses the partial index only when the state is part of the statement.
  const inState = (endpoint: string, state: 'pending' | 'dead') =>
    db.read<Row>(table).where({ endpoint }).whereRaw(`state = '${state}'`)
  const countOf = async (endpoint: string, state: 'pending' | 'dead'): Promise<number> =>
    Number((await inState(endpoint, state).count({ count: '*' }).first())?.['count'] ?? 0)

  async function recent(endpoint: string): Promise<Row[]> {
    const newest = await db.read<Row>(table).max({ seq: 'seq' }).first()
    return db
      .read<Row>(table)
      .where({ endpoint })
      .where('seq', '>', Number(newest?.['seq'] ?? 0) - WINDOW)
      .orderBy('seq', 'desc')
      .limit(RECENT)
      .select('seq', 'state', 'attempts', 'ms')
  }
  async function countsIn(
    endpoints: readonly string[],
    state: 'pending' | 'dead',
  ): Promise<Map<string, number>> {
    const rows = await db
      .read<Row>(table)
      .whereIn('endpoint', [...endpoints])
      .whereRaw(`state = '${state}'`)
      .groupBy('endpoint')
      .select('endpoint')
      .count({ count: '*' })
    return new Map(rows.map(({ endpoint, count }) => [String(endpoint), Number(count)]))
  }

  return {
    async counts(endpoints) {
      await completions.flush()
      const [pending, dead] = [await countsIn(endpoints, 'pending'), await countsIn(endpoints, 'dead')]
      return new Map(endpoints.map((id) => [id, { pending: pending.get(id) ?? 0, dead: dead.get(id) ?? 0 }]))
    },
    async of({ id, isMain, url }) {
      await completions.flush()
      const heads = await inState(id, 'pending')
        .orderBy('seq')
        .limit(HEADS)
        .select('entered', 'next_at', 'at', 'last')
      const planned = heads.map((row) => Number(row['next_at'])).filter((at) => at > db.now())
      const dead = await inState(id, 'dead').orderBy('seq', 'desc').first('at', 'last')
      const [failed] = [...heads, ...(dead ? [dead] : [])]
        .filter(({ at }) => at !== null)
        .sort((a, b) => Number(b['at']) - Number(a['at']))
      const { state, until } = hostBreakers.of(url)
      return {
        Id: isMain ? 'main' : id,
        Breaker: state,
        BreakerUntil: timeOf(until),
        Pending: await countOf(id, 'pending'),
        OldestPending: timeOf(heads[0]?.['entered']),
        NextAt: timeOf(planned.length > 0 ? Math.min(...planned) : 0),
        Dead: await countOf(id, 'dead'),
        LastError: String(failed?.['last'] ?? ''),
        Recent: (await recent(id)).map((row) => ({
          Seq: Number(row['seq']),
          State: String(row['state']),
          Attempts: Number(row['attempts']),
          ...(row['ms'] === null ? {} : { Milliseconds: Number(row['ms']) }),
        })),
      }
    },
  }
}
