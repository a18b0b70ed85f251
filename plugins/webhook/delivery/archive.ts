import { type Events, gatewayError, type LogEvent, type PluginDb, type Row } from 'wamux/plugin'
import { type AttemptLog, timeOf } from './attempt-log.ts'
import type { Completions } from './completions.ts'
import type { DeliveryChange } from './deliveries.ts'
import { KEY } from './delivery.ts'

/** Selects deliveries of an endpoint; absent fields match any. */
export interface Range {
  state?: 'pending' | 'done' | 'dead'
  /** Newest first. */
  isNewestFirst?: boolean
  /** Bounds of the seq, inclusive. */
  from?: number
  to?: number
  /** Bounds of the time at which they were enqueued, inclusive, milliseconds since 1970. */
  since?: number
  until?: number
  /** Only those with an attempt that failed with this error, in that time. */
  failed?: FailedAttempts
}

/** Failed attempts, by their error and the time at which they ended, inclusive, milliseconds since 1970. */
export interface FailedAttempts {
  readonly error: string
  readonly since: number
  readonly until: number
}

export interface DeliveryView {
  readonly Seq: number
  readonly Id: string
  readonly Type: string
  readonly Session: string
  readonly Endpoint: string
  readonly State: string
  readonly Attempts: number
  readonly NextAt: string
  readonly Last: string
  readonly Timestamp: string
  /** Time of the last attempt; '' before the first. */
  readonly At: string
  /** Duration of the last attempt; absent before the first. */
  readonly Milliseconds?: number
}

/** Lists and changes deliveries, past and pending. */
export interface Archive {
  list(endpoints: readonly string[], range: Range, limit: number): Promise<DeliveryView[]>
  count(endpoint: string, range: Range): Promise<number>
  /** Changes all deliveries in the range in small commits; resolves to their number. */
  change(endpoint: string, range: Range, change: DeliveryChange, signal?: AbortSignal): Promise<number>
}

interface Deps {
  db: PluginDb
  events: Events
  completions: Completions
  attemptLog: AttemptLog
}

/**
 * Resets a delivery to its state before the first attempt; accepted bodies of a dead letter with several are not sent again.
 */
export function untried(before: NonNullable<Range['state']>): DeliveryChange {
  const fresh = { state: 'pending', attempts: 0, step: 0, nextAt: 0 } as const
  return before === 'done' ? { ...fresh, parts: null } : fresh
}

/** Columns of a delivery that describe its last attempt. */
const KEPT = ['seq', 'endpoint', 'state', 'at', 'ms', 'attempts', 'last']
const BATCH = 1_000

export function createArchive({ db, events, completions, attemptLog }: Deps): Archive {
  const [deliveries, attempts] = [db.table('deliveries'), db.table('attempts')]
  /** The attempts of the delivery in the outer query, by primary key. */
  const attemptsOf = ({ error, since, until }: FailedAttempts) =>
    db
      .read(`${attempts} as a`)
      .whereRaw('NOT a.accepted')
      .whereRaw('a.seq = ??.seq', [deliveries])
      .whereRaw('a.endpoint = ??.endpoint', [deliveries])
      .where('a.last', error)
      .whereBetween('a.at', [since, until])
  const query = (endpoints: readonly string[], range: Range, limit: number) => {
    const { state, from, to, since, until, isNewestFirst, failed } = range
    const rows = db
      .read<Row>(deliveries)
      .whereIn('endpoint', [...endpoints])
      .orderBy('seq', isNewestFirst ? 'desc' : 'asc')
      .limit(limit)
    // A literal, not a parameter: SQLite uses the partial index only when the state is part of the statement.
    if (state) rows.whereRaw(`state = '${state}'`)
    if (from !== undefined) rows.where('seq', '>=', from)
    if (to !== undefined) rows.where('seq', '<=', to)
    if (since !== undefined) rows.where('entered', '>=', since)
    if (until !== undefined) rows.where('entered', '<=', until)
    if (failed) rows.whereExists(attemptsOf(failed))
    return rows
  }
  return {
    async list(endpoints, range, limit) {
      await completions.flush()
      const rows = await query(endpoints, range, limit)
      const lines = await events.lines(rows.map((row) => Number(row['seq'])))
      const bySeq = new Map(lines.map((line) => [line.seq, line]))
      return rows.flatMap((row) => {
        const line = bySeq.get(Number(row['seq']))
        return line ? [toView(row, line)] : []
      })
    },
    async count(endpoint, range) {
      await completions.flush()
      const rows = query([endpoint], range, Number.MAX_SAFE_INTEGER).clear('order').clear('limit')
      return Number((await rows.count({ count: '*' }).first())?.['count'] ?? 0)
    },
    async change(endpoint, range, { nextAt, ...rest }, signal) {
      let count = 0
      let from = range.from ?? 0
      for (;;) {
        if (signal?.aborted) throw gatewayError('STOPPING')
        await completions.flush()
        const rows = await query([endpoint], { ...range, from }, BATCH).select(KEPT)
        if (rows.length === 0) return count
        const change = { ...rest, ...(nextAt === undefined ? {} : { next_at: nextAt }) }
        const changed = rows.map(({ seq }) => ({ seq, endpoint, ...change }))
        // Accepted attempts are kept in the delivery's row, which a replay resets.
        const accepted = rows.filter((row) => row['state'] === 'done' && row['at'] !== null)
        const kept = accepted.length > 0 ? [attemptLog.accepted(accepted)] : []
        await db.write([db.update('deliveries', KEY, changed), ...kept])
        count += rows.length
        from = Number(rows.at(-1)?.['seq']) + 1
      }
    },
  }
}

function toView(row: Row, { id, type, session, time }: LogEvent): DeliveryView {
  const next = Number(row['next_at'])
  return {
    Seq: Number(row['seq']),
    Id: id,
    Type: type,
    Session: session,
    Endpoint: String(row['endpoint']),
    State: String(row['state']),
    Attempts: Number(row['attempts']),
    NextAt: row['state'] === 'pending' && next > 0 ? new Date(next).toISOString() : '',
    Last: String(row['last']),
    Timestamp: time,
    At: timeOf(row['at']),
    ...(row['at'] ? { Milliseconds: Number(row['ms']) } : {}),
  }
}
