/**
 * How many stanzas of all links may be taken and not yet logged. After a long absence thousands come at once;
 * let in by so many, they are committed and acknowledged as they go, and everybody else has turns between.
 */
const PLACES = 20
/** What hangs in one session must not hold the others. */
const WAIT_MS = 1_000

/** Holds back what comes in for as long as too much is under way. */
export interface Room {
  readonly isFull: boolean
  /** Takes a place until the work is done or has failed. */
  hold<T>(work: Promise<T>): Promise<T>
  /** Resolves when there is a place, or after a second. */
  free(): Promise<void>
}

export function createRoom(places = PLACES): Room {
  const waiting = new Set<() => void>()
  let taken = 0

  function leave(): void {
    taken -= 1
    for (const enter of [...waiting].slice(0, Math.max(0, places - taken))) enter()
  }

  return {
    get isFull() {
      return taken >= places
    },
    hold(work) {
      taken += 1
      work.then(leave, leave)
      return work
    },
    free() {
      if (taken < places) return Promise.resolve()
      return new Promise((resolve) => {
        const enter = (): void => {
          clearTimeout(timer)
          waiting.delete(enter)
          resolve()
        }
        const timer = setTimeout(enter, WAIT_MS)
        waiting.add(enter)
      })
    },
  }
}
