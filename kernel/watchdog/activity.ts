/** A kind of work that the event loop runs, for example a route. */
export interface Work {
  /** `POST /send/text` */
  readonly name: string
  readonly plugin: string
}

/** What this process is doing, in memory that a thread reads while the event loop is blocked. */
export interface Activity {
  readonly works: readonly Work[]
  readonly shared: SharedArrayBuffer
  /** Signals that the event loop runs. */
  beat(): void
  /** Records that work has begun; it continues, perhaps in later turns, until the returned function is called. */
  begin(work: number): () => void
  /** Runs a synchronous part of it. */
  run<T>(work: number, part: () => T): T
}

/** Offsets in the shared memory, followed by two cells per work: how many are in progress, and when it last began. */
export const PLACES = { beats: 0, running: 1, begun: 2, works: 3 } as const

/** Value of `running` while no work is known to run. */
const NONE = -1

export function createActivity(works: readonly Work[]): Activity {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * (PLACES.works + 2 * works.length))
  const cells = new Int32Array(shared)
  cells[PLACES.running] = NONE
  const add = (place: number, change: number): number => (cells[place] = (cells[place] ?? 0) + change)
  return {
    works,
    shared,
    beat: () => void add(PLACES.beats, 1),
    begin(work) {
      const place = PLACES.works + 2 * work
      add(place, 1)
      cells[place + 1] = add(PLACES.begun, 1)
      return () => void add(place, -1)
    },
    run(work, part) {
      cells[PLACES.running] = work
      try {
        return part()
      } finally {
        cells[PLACES.running] = NONE
      }
    },
  }
}
