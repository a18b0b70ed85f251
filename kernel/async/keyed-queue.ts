/** A serial queue for each key; a key without jobs takes no memory. */
export interface KeyedQueue {
  /** Runs `job` after everything that was queued under the same key. Not re-entrant. */
  run<T>(key: string, job: () => T | Promise<T>): Promise<T>
  /** Resolves when every job queued before the call has ended, under any key. */
  idle(): Promise<void>
}

export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<void>>()
  return {
    run(key, job) {
      const result = (last.get(key) ?? Promise.resolve()).then(job)
      const ended: Promise<void> = result.then(release, release)
      last.set(key, ended)
      return result

      function release(): void {
        if (last.get(key) === ended) last.delete(key)
      }
    },
    async idle() {
      await Promise.all(last.values())
    },
  }
}
