import { type PluginDb, type Row, reasonOf, type Vault, type Write } from 'wamux/plugin'
import type { Job, NewJob } from './contract.ts'

export interface StoredJob extends Job {
  readonly queue: string
  /** Milliseconds since 1970. */
  readonly runAt: number
  /** Of the last try; '' before it. */
  readonly error: string
}

/** The rows of all queues. */
export interface JobStore {
  add(queue: string, job: NewJob): Write
  /** The queues and sessions that have jobs which are due, that with the oldest job first; '' for no session. */
  due(now: number): Promise<Pick<StoredJob, 'queue' | 'session'>[]>
  /** The oldest job of a session that is due and not among `except`. */
  next(queue: string, session: string, now: number, except: readonly string[]): Promise<StoredJob | undefined>
  done(job: StoredJob): Write
  /** Stores a try that has failed; with `retryAt` undefined as a dead letter. */
  failed(job: StoredJob, error: unknown, retryAt: number | undefined): Write
  /** By queue. */
  counts(): Promise<ReadonlyMap<string, { waiting: number; dead: number }>>
  dead(queue: string, limit: number): Promise<StoredJob[]>
  /** Makes dead letters wait again; all of the queue when `ids` is absent. Resolves with their number. */
  revive(queue: string, ids: readonly string[] | undefined): Promise<number>
  drop(queue: string, ids: readonly string[] | undefined): Promise<number>
}

const KEY = ['queue', 'id'] as const

export function createJobStore({ db, vault }: { db: PluginDb; vault: Vault }): JobStore {
  const table = db.table('jobs')
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
      data: JSON.parse(open(session, placeOf(queue, id, 'data'), row['data'] as Buffer)),
      attempt: Number(row['attempts']) + 1,
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
    add(queue, { id, session = '', data = null, runAt = Date.now() }) {
      const sealed = seal(session, placeOf(queue, id, 'data'), JSON.stringify(data))
      const row = {
        queue,
        id,
        session: session || null,
        data: sealed,
        run_at: runAt,
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
    async next(queue, session, now, except) {
      const row: Row | undefined = await db
        .read<Row>(table)
        .where({ queue, session: session || null, dead: false })
        .where('run_at', '<=', now)
        .whereNotIn('id', [...except])
        .orderBy('run_at')
        .first()
      return row && toJob(row)
    },
    done: ({ queue, id, session }) =>
      db.remove('jobs', KEY, [{ queue, id, ...(session ? { session } : {}) }]),
    failed({ queue, id, session, attempt }, error, retryAt) {
      const sealed = seal(session, placeOf(queue, id, 'error'), reasonOf(error).slice(0, 1_000))
      const isDead = retryAt === undefined
      const row = { queue, id, attempts: attempt, dead: isDead, run_at: retryAt ?? Date.now(), error: sealed }
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
    async dead(queue, limit) {
      const rows: Row[] = await db
        .read<Row>(table)
        .where({ queue, dead: true })
        .orderBy('run_at')
        .limit(limit)
      return rows.map(toJob)
    },
    revive: (queue, ids) =>
      db.transact((trx) =>
        deadOf(queue, ids)(trx(table)).update({ dead: false, attempts: 0, run_at: Date.now() }),
      ),
    drop: (queue, ids) => db.transact((trx) => deadOf(queue, ids)(trx(table)).del()),
  }
}
