/**
 * How many stanzas of all links may be received and not yet logged. After a long absence thousands arrive at once; with
 * this limit they are committed and acknowledged in small batches, and other work runs in between.
 */
const MAX_IN_FLIGHT = 20
/** A session whose work hangs must not block the others. */
const MAX_WAIT_MS = 1_000

/** Holds back received stanzas while too many are in flight. */
export interface Backpressure {
  readonly isFull: boolean
  /** Counts the work as in flight until it has ended or failed. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when there is capacity, or after a second. */
  ready(): Promise<void>
}

export function createBackpressure(maxInFlight = MAX_IN_FLIGHT): Backpressure {
  const waiting = new Set<() => void>()
  let inFlight = 0

  function release(): void {
    inFlight -= 1
    for (const resume of [...waiting].slice(0, Math.max(0, maxInFlight - inFlight))) resume()
  }

  return {
    get isFull() {
      return inFlight >= maxInFlight
    },
    track(work) {
      inFlight += 1
      work.then(release, release)
      return work
    },
    ready() {
      if (inFlight < maxInFlight) return Promise.resolve()
      return new Promise((resolve) => {
        const resume = (): void => {
          clearTimeout(timer)
          waiting.delete(resume)
          resolve()
        }
        const timer = setTimeout(resume, MAX_WAIT_MS)
        waiting.add(resume)
      })
    },
  }
}
