import type { RecentLimits } from './recent.ts'

/** Divides the memory for rows among the active endpoints; the rest of a backlog stays in the table. */
export interface PrefetchWindow {
  /** Adds an endpoint, given the number of rows that it has in memory; returns a function that removes it. */
  join(loaded: () => number): () => void
  /** Rows that an endpoint may have in its lanes while reading from the table. */
  size(): number
  /** New rows that an endpoint may have in its lanes. */
  sizeForNew(): number
  /** New rows that may wait for its lanes, and the characters of their events. */
  waiting(): RecentLimits
}

/** The larger a page, the cheaper each row. */
const LANES = { all: 4_096, max: 1_024, min: 16 }
/** In the lanes, about one second of a busy stream. */
const NEW = 4_096
/** Five seconds of it: a receiver that was away for so long costs no row read from the table. */
const WAITING = { rows: 16_384, characters: 16_000_000 }

export function createPrefetchWindow(): PrefetchWindow {
  const members = new Set<() => number>()

  /** An equal share for each endpoint that has rows in memory, and for one more. It asks every endpoint: 6 us for 1,000. */
  function share(all: number): number {
    let busy = 1
    for (const loaded of members) if (loaded() > 0) busy += 1
    return Math.floor(all / busy)
  }

  return {
    join(loaded) {
      members.add(loaded)
      return () => void members.delete(loaded)
    },
    size: () => Math.max(LANES.min, Math.min(LANES.max, share(LANES.all))),
    sizeForNew: () => share(NEW),
    waiting: () => ({ rows: share(WAITING.rows), characters: share(WAITING.characters) }),
  }
}
