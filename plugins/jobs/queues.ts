import {
  ALL_OWNED,
  createInterval,
  createSerialQueue,
  gatewayError,
  isStorageError,
  type Kernel,
  type Ownership,
  reasonOf,
} from 'wamux/plugin'
import type { Jobs, Queue } from './contract.ts'
import type { JobStore, StoredJob } from './job-store.ts'

export interface Queues extends Jobs {
  /** By full name, once all plugins have started. */
  readonly known: ReadonlyMap<string, Queue>
  /** Looks for jobs that are due, from now on; where there is no queue it does nothing. */
  start(): void
  /** Looks now, such as after dead letters were revived. */
  wake(): void
  /** Begins no more jobs and waits for those that run. */
  stop(): Promise<void>
}

type Deps = Pick<Kernel<unknown>, 'contributions' | 'db' | 'log'> & {
  jobStore: JobStore
  ownership?: Ownership | undefined
}

/** The process that runs jobs of no session. */
export const TASK = '(jobs)'
/** Jobs that other processes or `write` have added are found within that time. */
const LOOK_MS = 1_000
/** Due jobs that are read at once. */
const PAGE = 200
const HOUR_MS = 3_600_000

export function createQueues({ contributions, db, log, jobStore, ownership = ALL_OWNED }: Deps): Queues {
  const running = new Map<string, Promise<void>>()
  const looks = createSerialQueue()
  let isStopped = false

  const known = (): Map<string, Queue> =>
    new Map(
      contributions('jobs').flatMap(({ plugin, value }) =>
        Object.entries(value.queues ?? {}).map(([name, queue]) => [`${plugin}.${name}`, queue] as const),
      ),
    )
  const isOwned = ({ session }: StoredJob): boolean => ownership.owns(session || TASK)
  const countOf = (queue: string): number =>
    [...running.keys()].filter((key) => key.startsWith(`${queue}/`)).length

  async function run(job: StoredJob, queue: Queue): Promise<void> {
    const { attempts = 5, backoffSeconds = 5 } = queue
    try {
      const writes = (await queue.handle(job)) ?? []
      await db.write([jobStore.done(job), ...writes])
    } catch (error) {
      log.warn({ queue: job.queue, job: job.id, attempt: job.attempt, reason: reasonOf(error) }, 'job failed')
      // Not stored, so that it counts as not tried.
      if (isStorageError(error)) return
      const wait = Math.min(backoffSeconds * 1000 * 2 ** (job.attempt - 1), HOUR_MS)
      const retryAt = job.attempt < attempts ? Date.now() + wait : undefined
      await db.write([jobStore.failed(job, error, retryAt)], { isFromAnyNode: true })
    }
  }

  async function look(): Promise<void> {
    const queues = known()
    for (const job of isStopped ? [] : await jobStore.due(Date.now(), PAGE)) {
      const queue = queues.get(job.queue)
      const key = `${job.queue}/${job.id}`
      if (isStopped || !queue || running.has(key) || !isOwned(job)) continue
      if (countOf(job.queue) >= (queue.concurrency ?? 1)) continue
      const work = run(job, queue)
        .catch((error: unknown) =>
          log.error({ job: key, reason: reasonOf(error) }, 'end of a job not stored'),
        )
        .finally(() => {
          running.delete(key)
          wake()
        })
      running.set(key, work)
    }
  }
  const onError = (error: unknown): void => log.error({ err: error }, 'looking for jobs failed')
  function wake(): void {
    if (!isStopped) void looks.run(look).catch(onError)
  }
  const interval = createInterval(LOOK_MS, () => looks.run(look), onError)

  function write(queue: string, job: Parameters<Jobs['write']>[1]) {
    if (!known().has(queue)) throw gatewayError('ITEM_UNKNOWN', [`Queue ${queue}`])
    return jobStore.add(queue, job)
  }
  return {
    get known() {
      return known()
    },
    write,
    async add(queue, job) {
      await db.write([write(queue, job)], { isFromAnyNode: true })
      wake()
    },
    start() {
      if (known().size > 0) interval.start()
    },
    wake,
    async stop() {
      isStopped = true
      await interval.stop()
      await looks.idle()
      await Promise.all(running.values())
    },
  }
}
