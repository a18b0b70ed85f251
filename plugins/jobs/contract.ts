import type { Write } from 'wamux/plugin'

/** Work repeated by the clock, by one process for all. Exactly one of `everySeconds` and `cron`. */
export interface Schedule {
  /** Seconds from the end of a run to the next one. The first run is at once, and after a restart when it is due. */
  readonly everySeconds?: number
  /** Five fields, or six with seconds first: `0 3 * * 1`. Runs missed while no process runs are not made up. */
  readonly cron?: string
  /** Time zone of `cron`, for example `Europe/Berlin`; UTC when absent. */
  readonly timeZone?: string
  /** An error is logged and listed, and does not affect the next run. */
  run(): Promise<unknown>
}

/** A job as its queue receives it. */
export interface Job {
  /** The same on every attempt: the work must be safe to repeat under this id. */
  readonly id: string
  /** Id of the session that it is for; '' for none. */
  readonly session: string
  readonly data: unknown
  /** 1 for the first attempt. */
  readonly attempt: number
  /** An operator requested this attempt after the job had become a dead letter. */
  readonly isManual: boolean
}

/** The job can't be done yet: it waits with its whole lane, and this does not count as an attempt. */
export interface Postponed {
  /** Milliseconds since 1970. */
  readonly until: number
  /** Committed with it. */
  readonly writes?: readonly Write[]
}

/** Durable work: every job is handled at least once, even after a crash. */
export interface Queue {
  /** The returned writes are committed together with the end of the job. After an error it is tried again. */
  handle(job: Job): Promise<readonly Write[] | Postponed | void>
  /** Attempts before it becomes a dead letter; default 5. Errors of the storage do not count. */
  readonly attempts?: number
  /** Jobs of this queue that this process runs concurrently; default 1. Sessions with due jobs take turns. */
  readonly concurrency?: number
  /** How many of these one session may run; default all. Jobs without a session count as one session. */
  readonly concurrencyPerSession?: number
  /** Seconds before the second attempt, doubled for each further one up to an hour; default 5. */
  readonly backoffSeconds?: number
}

/** A plugin's contribution: `contributes: { jobs: (deps) => ({ schedules: {…}, queues: {…} }) }`. */
export interface JobsContribution {
  /** By their names within the plugin. */
  readonly schedules?: Readonly<Record<string, Schedule>>
  readonly queues?: Readonly<Record<string, Queue>>
}

export interface NewJob {
  /** Unique in its queue: a second job with the id of a waiting one is not added. */
  readonly id: string
  /** Id of its session: the job is handled by the process that serves the session, and deleted with the session. */
  readonly session?: string
  /** JSON. Sealed if there is a session; jobs without one must not contain personal data. */
  readonly data?: unknown
  /** `Date.now()` before which it does not run. */
  readonly runAt?: number
  /**
   * Jobs of one session and lane run one after the other, by `runAt` and then in the order of addition: one that waits for a
   * retry holds up those behind it, until it is done or a dead letter. The lane is stored in clear, so it must not reveal a
   * chat; `events.lane` returns a suitable one.
   */
  readonly lane?: string
}

/** The durable queues, named `<plugin>.<queue>`. */
export interface Jobs {
  /** Resolves when the job is stored. Throws ITEM_UNKNOWN for a queue that no plugin has. */
  add(queue: string, job: NewJob): Promise<void>
  /** The same as a write, for committing it with others: as the result of a consumer, or with `events.raise`. */
  write(queue: string, job: NewJob): Write
  /** The job of a queue that has failed most often and is not done; undefined if none has failed. */
  failing(queue: string): Promise<FailingJob | undefined>
}

export interface FailingJob {
  readonly attempts: number
  /** Error of the last attempt. */
  readonly error: string
  /** When it was added, milliseconds since 1970. */
  readonly since: number
  /** Number of jobs in the queue, dead letters too. */
  readonly waiting: number
}

declare module 'wamux/plugin' {
  interface GatewayContributions {
    jobs: JobsContribution
  }
  interface GatewayServices {
    jobs: Jobs
  }
}
