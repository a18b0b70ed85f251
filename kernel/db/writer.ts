import type { Knex } from 'knex'
import { gatewayError, isStorageError } from '../errors.ts'
import { failpoint } from '../failpoint.ts'
import { createHistogram } from '../histogram.ts'
import type { Statistics } from '../types/observe.ts'
import { FENCED_STATE, type Fence, type Ownership } from '../types/ownership.ts'
import type { Row, WorkOptions, Write, WriteOptions } from '../types/storage.ts'
import type { Database } from './database.ts'

/**
 * The only way to write to the database. All writes queued when a turn begins commit in one transaction.
 *
 * A `signal` ties dependent writes together: once it is aborted, those not yet committed are dropped and reject with its
 * reason. Abort it when one of them fails: the following ones are in later turns.
 *
 * Rows with a column `session` are written only while this process owns that session; otherwise their write rejects FENCED.
 */
export interface Writer {
  /** All of them or none. Resolves after COMMIT with the columns that `add` writes request of the rows actually inserted. */
  write(writes: readonly Write[], options?: WriteOptions): Promise<Row[]>
  /** Work that reads and writes in the turn's transaction; runs after everything queued before it. */
  transact<T>(work: (trx: Knex.Transaction) => Promise<T>, options?: WorkOptions): Promise<T>
  /** Resolves when everything queued before the call has been committed or has failed. */
  settled(): Promise<void>
  statistics(): Pick<Statistics, 'commits' | 'queuedWrites'>
}

interface Job {
  /** Consecutive. */
  readonly number: number
  readonly writes: readonly Write[]
  readonly work: ((trx: Knex.Transaction) => Promise<unknown>) | undefined
  readonly signal: AbortSignal | undefined
  /** Sessions of its rows. */
  readonly sessions: readonly string[]
  /** This process must own them. */
  readonly isFenced: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Bounds the length of a transaction, and so the wait of the next write; the more writes share one, the cheaper each is. */
const JOBS_A_TURN = 1_000
/**
 * For how long a session whose rows another transaction holds is refused without asking: each attempt makes the other
 * sessions wait for the time-out of the lock.
 */
const LOCKED_MS = 2_000
/** How long a deferred write waits for a commit to join, and how many may wait. */
const DEFER_MS = 25
const MAX_DEFERRED = 64
const COMMIT_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface WriterParts extends Pick<Database, 'main' | 'turns'> {
  /** Looked up at each turn: plugins write before the one that provides it has started. */
  ownership?: () => Ownership
}

export function createWriter(database: WriterParts): Writer {
  const queue: Job[] = []
  const deferred: Job[] = []
  const commits = createHistogram(COMMIT_SECONDS)
  const locked = createLockedSessions()
  let running: Promise<void> | undefined
  let last = 0
  let timer: NodeJS.Timeout | undefined

  function enqueue<T>(
    list: Job[],
    {
      writes = [],
      work,
      signal,
      sessions = [],
      isFenced = true,
    }: Partial<Omit<Job, 'number' | 'resolve' | 'reject'>>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      last += 1
      const answer = { resolve: (value: unknown) => resolve(value as T), reject }
      list.push({ number: last, writes, work, signal, sessions, isFenced, ...answer })
      if (list === queue) running ??= drain()
      else if (deferred.length >= MAX_DEFERRED) flush()
      else timer ??= setTimeout(flush, DEFER_MS)
    })
  }

  /** In the order of the calls: an older write must not overwrite a later one. */
  function join(): void {
    clearTimeout(timer)
    timer = undefined
    if (deferred.length === 0) return
    queue.push(...deferred.splice(0))
    queue.sort((a, b) => a.number - b.number)
  }

  function flush(): void {
    join()
    if (queue.length > 0) running ??= drain()
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      // Waits one turn of the event loop, so that all writes of one packet share a commit.
      await new Promise((resolve) => setImmediate(resolve))
      join()
      for (const part of partsOf(queue.splice(0, JOBS_A_TURN))) {
        const began = performance.now()
        await commit(database, part.filter(locked.isFree), locked)
        commits.observe((performance.now() - began) / 1000)
      }
    }
    running = undefined
  }

  return {
    write: (writes, { signal, isDeferred = false, isFromAnyNode = false } = {}) => {
      const sessions = database.ownership?.().fence ? sessionsOf(writes) : []
      const isFenced = !isFromAnyNode
      return enqueue<Row[]>(isDeferred ? deferred : queue, { writes, signal, sessions, isFenced })
    },
    transact: (work, { session } = {}) => enqueue(queue, { work, sessions: session ? [session] : [] }),
    settled: async () => {
      flush()
      await running
    },
    statistics: () => ({ commits, queuedWrites: queue.length + deferred.length }),
  }
}

function sessionsOf(writes: readonly Write[]): string[] {
  const rows = writes.flatMap((write) => write.rows)
  return rows.flatMap(({ session }) => (typeof session === 'string' ? [session] : []))
}

/** Consecutive writes share a transaction; a plugin's `transaction` work has its own, through knex. */
function partsOf(jobs: readonly Job[]): Job[][] {
  const parts: Job[][] = []
  for (const job of jobs) {
    const last = parts.at(-1)
    if (last && !job.work && !last[0]?.work) last.push(job)
    else parts.push([job])
  }
  return parts
}

/** Sessions whose rows another transaction was seen to hold. */
interface LockedSessions {
  add(job: Job, error: unknown): void
  /** Rejects a job of such a session. */
  isFree(job: Job): boolean
}

function createLockedSessions(): LockedSessions {
  const known = new Map<string, { until: number; error: unknown }>()
  return {
    add({ sessions }, error) {
      const [session, ...others] = new Set(sessions)
      if (session !== undefined && others.length === 0)
        known.set(session, { until: performance.now() + LOCKED_MS, error })
    },
    isFree({ sessions, reject }) {
      if (known.size === 0) return true
      const now = performance.now()
      for (const [session, { until }] of known) if (until <= now) known.delete(session)
      const found = sessions.map((session) => known.get(session)).find(Boolean)
      if (found) reject(found.error)
      return found === undefined
    },
  }
}

async function commit(database: WriterParts, waiting: readonly Job[], locked: LockedSessions): Promise<void> {
  const jobs = waiting.filter(isLive)
  if (jobs.length === 0) return
  failpoint('before:commit')
  const done = await attempt(database, jobs)
  failpoint('after:commit')
  if (done.ok) {
    for (const [index, job] of jobs.entries()) job.resolve(done.results[index])
    return
  }
  const isLocked = isStorageError(done.error) && done.error.code === 'STORAGE_LOCKED'
  // A full disk or a lost database fails all of them alike.
  if (jobs.length === 1 || (isStorageError(done.error) && !isLocked)) {
    if (isLocked) for (const job of jobs) locked.add(job, done.error)
    for (const job of jobs) job.reject(done.error)
    return
  }
  // One bad job must not fail its neighbours: bisect until it is isolated.
  const middle = jobs.length >> 1
  await commit(database, jobs.slice(0, middle), locked)
  // Those of a session that was found locked meanwhile need not wait again.
  await commit(database, jobs.slice(middle).filter(locked.isFree), locked)
}

/** Rejects a job whose signal is aborted. Checked when a turn begins, long after the rejection that aborted it. */
function isLive({ signal, reject }: Job): boolean {
  if (!signal?.aborted) return true
  reject(signal.reason)
  return false
}

type Attempt = { ok: true; results: unknown[] } | { ok: false; error: unknown }

async function attempt({ main, turns, ownership }: WriterParts, jobs: readonly Job[]): Promise<Attempt> {
  const work = jobs[0]?.work
  try {
    // A turn with one session that is not owned fails, and is bisected like any other.
    const fences = fencesOf(jobs, ownership?.())
    if (!work) {
      const writes = jobs.map((job) => job.writes)
      return { ok: true, results: await turns.commit(writes, fences) }
    }
    const fenced = async (trx: Knex.Transaction): Promise<unknown> => {
      for (const { text, values } of fences) await trx.raw(text.replace(/\$\d+/g, '?'), [...values])
      return work(trx)
    }
    return { ok: true, results: [await main.transaction(fenced)] }
  } catch (error) {
    const isFenced = (error as { code?: unknown } | null)?.code === FENCED_STATE
    return { ok: false, error: isFenced ? gatewayError('FENCED', [], { cause: error }) : error }
  }
}

/** All transactions lock in the same order, because each waits for locks of the others. */
function fencesOf(jobs: readonly Job[], ownership: Ownership | undefined): Fence[] {
  const fenced = jobs.filter((job) => job.isFenced)
  const sessions = [...new Set(fenced.flatMap((job) => job.sessions))].sort()
  return sessions.flatMap((session) => ownership?.fence?.(session) ?? [])
}
