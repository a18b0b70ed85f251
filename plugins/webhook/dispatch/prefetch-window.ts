/** Divides the rows that may be in memory among the active endpoints; the rest of a backlog stays in the table. */
export interface PrefetchWindow {
  /** Adds an endpoint, given the number of rows that it has in memory; returns a function that removes it. */
  join(held: () => number): () => void
  /** How many rows an endpoint may read from the table. */
  size(): number
  /** How many rows an endpoint may hold when new ones are added without a read. */
  sizeForNew(): number
}

const READ = { all: 2_048, max: 256, min: 16 }
/** About one second of a busy stream. */
const NEW = 4_096

export function createPrefetchWindow(): PrefetchWindow {
  const members = new Set<() => number>()

  /** An equal share for each endpoint that has rows in memory, and for one more. */
  function share(all: number): number {
    let busy = 1
    for (const held of members) if (held() > 0) busy += 1
    return Math.floor(all / busy)
  }

  return {
    join(held) {
      members.add(held)
      return () => void members.delete(held)
    },
    size: () => Math.max(READ.min, Math.min(READ.max, share(READ.all))),
    sizeForNew: () => share(NEW),
  }
}
