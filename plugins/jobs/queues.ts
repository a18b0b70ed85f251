import {
  ALL_OWNED,
  attempting,
  backoff,
  createInterval,
  createSerialQueue,
  gatewayError,
  inProgress,
  isStorageError,
  type Kernel,
  type Ownership,
  reasonOf,
  watchDue,
} from 'wamux/plugin'
import type { Jobs, Postponed, Queue } from './contract.ts'
import type { JobStore, StoredJob } from './job-store.ts'

export interface Queues extends Jobs {
  /** By full name, once all plugins have started. */
  readonly known: ReadonlyMap<string, Queue>
  /** Begins to look for due jobs; does nothing without a queue. */
  start(): void
  /** Looks now, for example after dead letters were requeued. */
  wake(): void
  /** Begins no more jobs and waits for the running ones. */
  stop(): Promise<void>
}

type Deps = Pick<Kernel<unknown>, 'contributions' | 'db' | 'log'> & {
  jobStore: JobStore
  ownership?: Ownership | undefined
}

interface Running {
  readonly job: StoredJob
  readonly work: Promise<void>
}

/** The task of running jobs without a session. */
export const TASK = '(jobs)'
/** Jobs added by other processes or by `write` are found within this time. */
const LOOK_MS = 1_000
const HOUR_MS = 3_600_000

export function createQueues({ contributions, db, log, jobStore, ownership = ALL_OWNED }: Deps): Queues {
  const running = new Map<string, Running>()
  /** By queue, the sessions that may have a due job, in the order of their turns. */
  const turns = new Map<string, Set<string>>()
  const looks = createSerialQueue()
  let isStopped = false

  const known = (): Map<string, Queue> =>
    new Map(
      contributions('jobs').flatMap(({ plugin, value }) =>
        Object.entries(value.queues ?? {}).map(([name, queue]) => [`${plugin}.${name}`, queue] as const),
      ),
    )
  const isOwned = (session: string): boolean => ownership.owns(session || TASK)
  const runningOf = (queue: string): StoredJob[] =>
    [...running.values()].map(({ job }) => job).filter((job) => job.queue === queue)

  function giveTurn(queue: string, session: string): void {
    turns.set(queue, (turns.get(queue) ?? new Set()).add(session))
  }

  async function run(job: StoredJob, queue: Queue): Promise<void> {
    const { attempts = 5, backoffSeconds = 5 } = queue
    try {
      const attempt = { number: job.attempt, isManual: job.isManual }
      const outcome = (await attempting(attempt, () => queue.handle(job))) ?? []
      if (isPostponed(outcome)) return await postpone(job, outcome)
      await db.write([jobStore.done(job), ...outcome])
    } catch (error) {
      log.warn({ queue: job.queue, job: job.id, attempt: job.attempt, reason: reasonOf(error) }, 'job failed')
      // Not stored, so it does not count as an attempt.
      if (isStorageError(error)) return
      const wait = backoff({ first: backoffSeconds * 1000, most: HOUR_MS }, job.attempt - 1)
      const retryAt = job.attempt < attempts ? Date.now() + wait : undefined
      await db.write([jobStore.failed(job, error, retryAt)], { isFromAnyNode: true })
    }
  }

  async function postpone(job: StoredJob, { until, writes = [] }: Postponed): Promise<void> {
    if (writes.length > 0) await db.write(writes)
    await jobStore.postpone(job, until)
  }

  function begin(job: StoredJob, queue: Queue): void {
    const key = `${job.queue}/${job.id}`
    const work = run(job, queue)
      .catch((error: unknown) => log.error({ job: key, reason: reasonOf(error) }, 'end of a job not stored'))
      .finally(() => {
        running.delete(key)
        giveTurn(job.queue, job.session)
        look(fill)
      })
    running.set(key, { job, work: inProgress(work) })
  }

  /** The next job of a session. An unreadable one holds up no other session. */
  async function next(queue: string, session: string, begun: readonly StoredJob[]) {
    try {
      const ids = begun.map(({ id }) => id)
      return await jobStore.next(queue, session, Date.now(), ids)
    } catch (error) {
      if (isStorageError(error)) throw error
      log.error({ queue, session, reason: reasonOf(error) }, 'job not readable')
      return undefined
    }
  }

  /** Fills the free slots of each queue from the sessions in turn, one job at a time. */
  async function fill(): Promise<void> {
    for (const [name, queue] of known()) {
      const waiting = turns.get(name) ?? []
      const { concurrency = 1, concurrencyPerSession = concurrency } = queue
      // Sessions added to the set meanwhile are visited too.
      for (const session of waiting) {
        const begun = runningOf(name)
        if (isStopped || begun.length >= concurrency) break
        turns.get(name)?.delete(session)
        const own = begun.filter((job) => job.session === session)
        if (!isOwned(session) || own.length >= concurrencyPerSession) continue
        const job = await next(name, session, own)
        if (!job || isStopped) continue
        begin(job, queue)
        giveTurn(name, session)
      }
    }
  }

  async function find(): Promise<void> {
    if (isStopped) return
    const queues = known()
    for (const { queue, session } of await jobStore.due(Date.now()))
      if (queues.has(queue) && isOwned(session)) giveTurn(queue, session)
    await fill()
  }
  const onError = (error: unknown): void => log.error({ err: error }, 'looking for jobs failed')
  function look(work: () => Promise<void>): void {
    if (!isStopped) void inProgress(looks.run(work)).catch(onError)
  }
  const interval = createInterval(LOOK_MS, () => looks.run(find), onError)
  const unwatch = watchDue({
    isRepeated: false,
    wait: async () => (await jobStore.nextDue([...known().keys()], Date.now())) - Date.now(),
    run: () => looks.run(find).catch(onError),
  })

  function write(queue: string, job: Parameters<Jobs['write']>[1]) {
    if (!known().has(queue)) throw gatewayError('ITEM_UNKNOWN', [`Queue ${queue}`])
    return jobStore.add(queue, job)
  }
  return {
    get known() {
      return known()
    },
    write,
    failing: (queue) => jobStore.failing(queue),
    async add(queue, job) {
      await db.write([write(queue, job)], { isFromAnyNode: true })
      giveTurn(queue, job.session ?? '')
      look(fill)
    },
    start() {
      if (known().size > 0) interval.start()
    },
    wake: () => look(find),
    async stop() {
      isStopped = true
      unwatch()
      await interval.stop()
      await looks.idle()
      await Promise.all([...running.values()].map(({ work }) => work))
    },
  }
}

function isPostponed(outcome: Awaited<ReturnType<Queue['handle']>>): outcome is Postponed {
  return outcome !== undefined && 'until' in outcome
}
