/** Work that is repeated for as long as its owner runs. */
export interface Interval {
  /** Runs the work now, and then `ms` milliseconds after each run has ended. */
  start(): void
  /** Starts no further run; resolves when the one under way has ended. */
  stop(): Promise<void>
}

/** Runs never overlap. A run that fails is passed to `onError`, and the next one comes at its time. */
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
