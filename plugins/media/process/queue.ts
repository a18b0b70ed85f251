import { gatewayError } from 'wamux/plugin'

/** Jobs of all sessions, in turn: one of a session at a time, so that none waits for the files of another one's client. */
export interface FairQueue {
  /**
   * Settles like `job`. Rejects MEDIA_BUSY, without running it, if too many jobs of the session wait.
   *
   * @param bytes what the job keeps in memory while it waits.
   */
  run<T>(session: string, bytes: number, length: 'short' | 'long', job: () => Promise<T>): Promise<T>
}

export interface QueueLimits {
  /** Jobs that run at once. */
  readonly width: number
  /** Jobs of one session that wait, and bytes that these keep in memory. */
  readonly waiting: number
  readonly waitingBytes: number
}

interface Job {
  readonly bytes: number
  readonly isLong: boolean
  start(): Promise<unknown>
}

export function createFairQueue({ width, waiting: maxWaiting, waitingBytes }: QueueLimits): FairQueue {
  /** By session; the order of the keys is the order of their turns. */
  const waiting = new Map<string, Job[]>()
  const running = new Map<string, Job>()
  /** Long jobs leave a place to short ones. */
  const maxLong = Math.max(1, width - 1)

  function next(): void {
    if (running.size >= width) return
    const long = [...running.values()].filter(({ isLong }) => isLong).length
    for (const [session, [job, ...others]] of waiting) {
      if (!job || running.has(session) || (job.isLong && long >= maxLong)) continue
      waiting.set(session, others)
      running.set(session, job)
      const end = (): void => {
        running.delete(session)
        // Behind all sessions that came in the meantime.
        const left = waiting.get(session) ?? []
        waiting.delete(session)
        if (left.length > 0) waiting.set(session, left)
        next()
      }
      void job.start().then(end, end)
      return next()
    }
  }

  return {
    async run(session, bytes, length, job) {
      const jobs = waiting.get(session) ?? []
      const total = jobs.reduce((sum, other) => sum + other.bytes, 0)
      if (jobs.length >= maxWaiting || (jobs.length > 0 && total + bytes > waitingBytes))
        throw gatewayError('MEDIA_BUSY', [jobs.length, total], { retryAfter: RETRY_SECONDS })
      return new Promise((resolve, reject) => {
        const start = (): Promise<void> => job().then(resolve, reject)
        waiting.set(session, [...jobs, { bytes, isLong: length === 'long', start }])
        next()
      })
    },
  }
}

const RETRY_SECONDS = 5
