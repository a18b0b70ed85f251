/** Runs jobs one after the other, in the order of `run`; a job that fails does not stop those after it. */
export interface SerialQueue {
  /** Settles like `job`. Not re-entrant: a job that awaits `run` of its own queue never ends. */
  run<T>(job: () => T | Promise<T>): Promise<T>
  /** Resolves when every job queued before the call has ended, whether it failed or not. */
  idle(): Promise<void>
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<void> = Promise.resolve()
  return {
    run(job) {
      const result = last.then(job)
      last = result.then(ignore, ignore)
      return result
    },
    idle: () => last,
  }
}

const ignore = (): void => undefined
