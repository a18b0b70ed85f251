import { inProgress, startTimer, type Timer } from './clock.ts'

/** Work that is repeated until it is stopped. */
export interface Interval {
  /** Runs the work now, and then `ms` milliseconds after each run has ended. */
  start(): void
  /** Starts no further run; resolves when the current one has ended. */
  stop(): Promise<void>
}

/** Runs never overlap. The error of a failed run is passed to `onError`; the next run is not affected. */
export function createInterval(ms: number, work: () => unknown, onError: (error: unknown) => void): Interval {
  let timer: Timer | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false

  async function run(): Promise<void> {
    try {
      await work()
    } catch (error) {
      onError(error)
    }
    if (!stopped) timer = startTimer(ms, next, { isRepeated: true })
  }
  function next(): void {
    running = inProgress(run())
  }

  return {
    start() {
      stopped = false
      next()
    },
    async stop() {
      stopped = true
      timer?.stop()
      await running
    },
  }
}
