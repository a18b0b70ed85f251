/** Work that is repeated until it is stopped. */
export interface Interval {
  /** Runs the work now, and then `ms` milliseconds after each run has ended. */
  start(): void
  /** Starts no further run; resolves when the current one has ended. */
  stop(): Promise<void>
}

/** Runs never overlap. The error of a failed run is passed to `onError`; the next run is not affected. */
export function createInterval(ms: number, work: () => unknown, onError: (error: unknown) => void): Interval {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false

  async function run(): Promise<void> {
    try {
      await work()
    } catch (error) {
      onError(error)
    }
    if (!stopped) timer = setTimeout(next, ms)
  }
  function next(): void {
    running = run()
  }

  return {
    start() {
      stopped = false
      next()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
