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
  /** Index of a work; undefined if there is no such one. */
  numberOf(plugin: string, name: string): number | undefined
  /** Signals that the event loop runs. */
  beat(): void
  /** Records that work has begun; it continues, perhaps in later turns, until `end` is called. */
  begin(work: number): Underway
  /** Runs a synchronous part of work. @param session its id; '' for none. */
  run<T>(work: number, session: string, part: () => T): T
}

/** One work in progress. */
export interface Underway {
  /** Runs a synchronous part of it. @param session its id; '' for none. */
  run<T>(session: string, part: () => T): T
  end(): void
}

/**
 * Offsets in the shared memory, followed by two cells per work: how many are in progress, and when it last began. Then come
 * `text` bytes per work: the id of its session, ended by a zero.
 */
export const PLACES = { beats: 0, running: 1, begun: 2, works: 3, text: 64 } as const

/** Value of `running` while no work is known to run. */
const NONE = -1

export function createActivity(works: readonly Work[]): Activity {
  const cellCount = PLACES.works + 2 * works.length
  const cellBytes = Int32Array.BYTES_PER_ELEMENT * cellCount
  const shared = new SharedArrayBuffer(cellBytes + PLACES.text * works.length)
  const cells = new Int32Array(shared, 0, cellCount)
  const texts = Buffer.from(shared, cellBytes)
  const numbers = new Map(works.map(({ plugin, name }, number) => [`${plugin} ${name}`, number]))
  /** Sessions of what is in progress, by work. */
  const underway = works.map(() => new Set<{ session: string }>())
  cells[PLACES.running] = NONE
  const add = (place: number, change: number): number => (cells[place] = (cells[place] ?? 0) + change)

  function name(work: number, session: string): void {
    const at = PLACES.text * work
    const length = texts.write(session, at, PLACES.text - 1, 'latin1')
    texts[at + length] = 0
  }
  function run<T>(work: number, session: string, part: () => T): T {
    const outer = cells[PLACES.running] ?? NONE
    name(work, session)
    cells[PLACES.running] = work
    try {
      return part()
    } finally {
      cells[PLACES.running] = outer
    }
  }

  return {
    works,
    shared,
    numberOf: (plugin, name) => numbers.get(`${plugin} ${name}`),
    beat: () => void add(PLACES.beats, 1),
    begin(work) {
      const place = PLACES.works + 2 * work
      const all = underway[work] as Set<{ session: string }>
      const own = { session: '' }
      all.add(own)
      add(place, 1)
      cells[place + 1] = add(PLACES.begun, 1)
      if (all.size === 1) name(work, '')
      return {
        run(session, part) {
          own.session = session
          return run(work, session, part)
        },
        end() {
          all.delete(own)
          add(place, -1)
          // Only where one is left is it known which one runs in a later turn.
          const [last] = all.size === 1 ? all : []
          if (last) name(work, last.session)
        },
      }
    },
    run,
  }
}
