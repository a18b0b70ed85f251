export interface KeyedQueue {
  /** Runs `work` when everything that was queued under the same name has ended. Not re-entrant. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** A queue for each name; nothing is kept of a name that nobody waits for. */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>()
  return {
    run(name, work) {
      const before = tails.get(name) ?? Promise.resolve()
      const result = before.then(work)
      const tail = result.then(
        () => undefined,
        () => undefined,
      )
      tails.set(name, tail)
      void tail.then(() => {
        if (tails.get(name) === tail) tails.delete(name)
      })
      return result
    },
  }
}
