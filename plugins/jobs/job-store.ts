import { type PluginDb, type Row, reasonOf, type Vault, type Write } from 'wamux/plugin'
import type { Job, Jobs, NewJob } from './contract.ts'

export interface StoredJob extends Job {
  readonly queue: string
  /** '' for none. */
  readonly lane: string
  /** Milliseconds since 1970. */
  readonly runAt: number
  /** Error of the last attempt; '' before the first. */
  readonly error: string
}

/** The rows of all queues. */
export interface JobStore {
  add(queue: string, job: NewJob): Write
  /** The queues and sessions with due jobs, ordered by their oldest job; '' for no session. */
  due(now: number): Promise<Pick<StoredJob, 'queue' | 'session'>[]>
  /** When the next job of these queues is due that is not due yet; Infinity without one. */
  nextDue(queues: readonly string[], now: number): Promise<number>
  /** The oldest due job of a session that is not in `except` and is the first of its lane. */
  next(queue: string, session: string, now: number, except: readonly string[]): Promise<StoredJob | undefined>
  done(job: StoredJob): Write
  /** Postpones a job and the rest of its lane. */
  postpone(job: StoredJob, until: number): Promise<void>
  /** Stores a failed attempt; with `retryAt` undefined as a dead letter. */
  failed(job: StoredJob, error: unknown, retryAt: number | undefined): Write
  /** By queue. */
  counts(): Promise<ReadonlyMap<string, { waiting: number; dead: number }>>
  failing(queue: string): ReturnType<Jobs['failing']>
  dead(queue: string, limit: number, after?: string): Promise<StoredJob[]>
  /** Requeues dead letters; all of the queue when `ids` is absent. Resolves with their number. */
  requeue(queue: string, ids: readonly string[] | undefined): Promise<number>
  drop(queue: string, ids: readonly string[] | undefined): Promise<number>
}

const KEY = ['queue', 'id'] as const
/** Rows changed in one transaction. */
const PART = 500

export function createJobStore({ db, vault }: { db: PluginDb; vault: Vault }): JobStore {
  const table = db.table('jobs')
  let last = 0
  /** Jobs of the same millisecond keep their order. */
  const now = (): number => {
    last = Math.max(Date.now(), last + 1)
    return last
  }
  const placeOf = (queue: string, id: string, column: string): string => `jobs_jobs/${queue}/${id}/${column}`
  const seal = (session: string, place: string, text: string): Buffer =>
    session ? vault.seal(session, place, text) : Buffer.from(text)
  const open = (session: string, place: string, sealed: Buffer): string =>
    (session ? vault.open(session, place, sealed) : sealed).toString()

  function toJob(row: Row): StoredJob {
    const [queue, id] = [String(row['queue']), String(row['id'])]
    const session = String(row['session'] ?? '')
    const error = row['error'] as Buffer | null
    return {
      queue,
      id,
      session,
      lane: String(row['lane'] ?? ''),
      data: JSON.parse(open(session, placeOf(queue, id, 'data'), row['data'] as Buffer)),
      attempt: Number(row['attempts']) + 1,
      isManual: Boolean(row['revived']),
      runAt: Number(row['run_at']),
      error: error ? open(session, placeOf(queue, id, 'error'), error) : '',
    }
  }
  const deadOf =
    (queue: string, ids: readonly string[] | undefined) => (query: ReturnType<PluginDb['read']>) => {
      query.where({ queue, dead: true })
      if (ids) query.whereIn('id', [...ids])
      return query
    }

  return {
    add(queue, { id, session = '', data = null, runAt = Date.now(), lane }) {
      const sealed = seal(session, placeOf(queue, id, 'data'), JSON.stringify(data))
      const row = {
        queue,
        id,
        session: session || null,
        data: sealed,
        run_at: runAt,
        lane: lane ?? null,
        place: runAt,
        added: now(),
        attempts: 0,
        dead: false,
      }
      return db.add('jobs', KEY, [row])
    },
    async due(now) {
      const rows: Row[] = await db
        .read(table)
        .where({ dead: false })
        .where('run_at', '<=', now)
        .groupBy('queue', 'session')
        .select('queue', 'session')
        .min({ oldest: 'run_at' })
        .orderBy('oldest')
      return rows.map(({ queue, session }) => ({ queue: String(queue), session: String(session ?? '') }))
    },
    async nextDue(queues, now) {
      const row: Row | undefined = await db
        .read<Row>(table)
        .where({ dead: false })
        .where('run_at', '>', now)
        .whereIn('queue', [...queues])
        .min({ next: 'run_at' })
        .first()
      return Number(row?.['next'] ?? Number.POSITIVE_INFINITY)
    },
    async next(queue, session, now, except) {
      const own = { queue, session: session || null, dead: false }
      const earlier = db
        .read(`${table} as earlier`)
        .where(own)
        .whereRaw('earlier.lane = job.lane')
        .whereRaw('(earlier.place < job.place OR (earlier.place = job.place AND earlier.added < job.added))')
      const row: Row | undefined = await db
        .read<Row>(`${table} as job`)
        .where(own)
        .where('run_at', '<=', now)
        .whereNotIn('id', [...except])
        .where((first) => first.whereNull('lane').orWhereNotExists(earlier))
        .orderBy(['run_at', 'place', 'added'])
        .first()
      return row && toJob(row)
    },
    done: ({ queue, id, session }) =>
      db.remove('jobs', KEY, [{ queue, id, ...(session ? { session } : {}) }]),
    postpone: ({ queue, id, session, lane }, until) =>
      db.transact(async (trx) => {
        await trx(table).where({ queue, id }).update({ run_at: until })
        if (!lane) return
        // Postponed together, so that none of them is examined in vain meanwhile.
        const others = trx(table).where({ queue, session: session || null, lane, dead: false })
        await others.where('run_at', '<', until).update({ run_at: until })
      }),
    failed({ queue, id, session, attempt }, error, retryAt) {
      const sealed = seal(session, placeOf(queue, id, 'error'), reasonOf(error).slice(0, 1_000))
      const isDead = retryAt === undefined
      const row = {
        queue,
        id,
        attempts: attempt,
        dead: isDead,
        revived: false,
        run_at: retryAt ?? Date.now(),
        error: sealed,
      }
      return db.update('jobs', KEY, [row])
    },
    async counts() {
      const rows: Row[] = await db
        .read(table)
        .groupBy('queue', 'dead')
        .select('queue', 'dead')
        .count({ count: '*' })
      const counts = new Map<string, { waiting: number; dead: number }>()
      for (const row of rows) {
        const of = counts.get(String(row['queue'])) ?? { waiting: 0, dead: 0 }
        counts.set(String(row['queue']), { ...of, [row['dead'] ? 'dead' : 'waiting']: Number(row['count']) })
      }
      return counts
    },
    async failing(queue) {
      const row: Row | undefined = await db
        .read<Row>(table)
        .where({ queue })
        .where('attempts', '>', 0)
        .orderBy('attempts', 'desc')
        .first()
      if (!row) return undefined
      const { attempt, error } = toJob(row)
      const [all] = await db.read<Row>(table).where({ queue }).count({ count: '*' })
      return {
        attempts: attempt - 1,
        error,
        since: Number(row['added']),
        waiting: Number(all?.['count'] ?? 0),
      }
    },
    async dead(queue, limit, after) {
      const query = db.read<Row>(table).where({ queue, dead: true })
      const last: Row | undefined = after
        ? await db.read<Row>(table).where({ queue, id: after }).first('run_at')
        : undefined
      const time = Number(last?.['run_at'])
      if (last && after)
        query.where((later) =>
          later
            .where('run_at', '>', time)
            .orWhere((same) => same.where('run_at', time).where('id', '>', after)),
        )
      const rows: Row[] = await query.orderBy(['run_at', 'id']).limit(limit)
      return rows.map(toJob)
    },
    async requeue(queue, ids) {
      const change = { dead: false, revived: true, attempts: 0, run_at: Date.now() }
      const all =
        ids ?? (await deadOf(queue, ids)(db.read(table)).select('id')).map(({ id }: Row) => String(id))
      let requeued = 0
      // In parts, since other writes wait for each.
      for (let at = 0; at < all.length; at += PART) {
        const part = all.slice(at, at + PART)
        requeued += await db.transact((trx) => deadOf(queue, part)(trx(table)).update(change))
      }
      return requeued
    },
    drop: (queue, ids) => db.prune('jobs', deadOf(queue, ids)),
  }
}
