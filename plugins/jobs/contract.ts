import type { Write } from 'wamux/plugin'

/** Work that is repeated by the clock, by one process for all. Exactly one of `everySeconds` and `cron`. */
export interface Schedule {
  /** Seconds from the end of a run to the next one. The first run is at once, and after a restart when it is due. */
  readonly everySeconds?: number
  /** Five fields, or six with seconds first: `0 3 * * 1`. Times that pass while no process runs are not made up for. */
  readonly cron?: string
  /** Time zone of `cron`, for example `Europe/Berlin`; UTC when absent. */
  readonly timeZone?: string
  /** Its error is logged and listed, and changes nothing about the next run. */
  run(): Promise<unknown>
}

/** A job as its queue gets it. */
export interface Job {
  /** Equal on every try: what the job does must be safe to do again under this id. */
  readonly id: string
  /** Id of the session that it is for; '' for none. */
  readonly session: string
  readonly data: unknown
  /** 1 for the first try. */
  readonly attempt: number
  /** An operator asked for this try, after the job had become a dead letter. */
  readonly isManual: boolean
}

/** A job that can't be done yet: it waits, with all of its lane, and this was no try. */
export interface Postponed {
  /** Milliseconds since 1970. */
  readonly until: number
  /** Committed with it. */
  readonly writes?: readonly Write[]
}

/** Durable work: every job is handled at least once, also after a crash. */
export interface Queue {
  /** The writes that it returns are committed together with the end of the job. After an error it is tried again. */
  handle(job: Job): Promise<readonly Write[] | Postponed | void>
  /** Tries before it becomes a dead letter; default 5. Errors of the storage do not count. */
  readonly attempts?: number
  /** Jobs of this queue that this process runs side by side; default 1. Sessions with due jobs get these places in turn. */
  readonly concurrency?: number
  /** How many of these places one session may have; default all. Jobs of no session count as those of one. */
  readonly concurrencyPerSession?: number
  /** Seconds before the second try, doubled for each further one up to an hour; default 5. */
  readonly backoffSeconds?: number
}

/** What a plugin contributes: `contributes: { jobs: (deps) => ({ schedules: {…}, queues: {…} }) }`. */
export interface JobsContribution {
  /** By their names within the plugin. */
  readonly schedules?: Readonly<Record<string, Schedule>>
  readonly queues?: Readonly<Record<string, Queue>>
}

export interface NewJob {
  /** One job at a time has it in its queue: a second one with the id of a job that waits is not added. */
  readonly id: string
  /** Id of the session that it is for: it is handled by the process that serves it, and goes when the session is deleted. */
  readonly session?: string
  /** JSON. Sealed where there is a session; jobs without one must not hold personal data. */
  readonly data?: unknown
  /** `Date.now()` before which it does not run. */
  readonly runAt?: number
  /**
   * Jobs of one session and lane run one after the other, by their `runAt` and then in the order in which they were added: one
   * that waits for another try holds up those behind it, until it is done or a dead letter. It is stored as it is, so it must
   * not reveal a chat; `events.lane` names one.
   */
  readonly lane?: string
}

/** The durable queues, named `<plugin>.<queue>`. */
export interface Jobs {
  /** Resolves when the job is stored. Throws ITEM_UNKNOWN for a queue that no plugin has. */
  add(queue: string, job: NewJob): Promise<void>
  /** The same as a write, to be committed with others: as the result of a consumer, or with `events.raise`. */
  write(queue: string, job: NewJob): Write
}

declare module 'wamux/plugin' {
  interface GatewayContributions {
    jobs: JobsContribution
  }
  interface GatewayServices {
    jobs: Jobs
  }
}
