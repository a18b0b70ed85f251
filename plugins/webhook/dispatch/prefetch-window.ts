/** Divides the rows that may be in memory among the endpoints that have some; a backlog of any size stays in the table. */
export interface PrefetchWindow {
  /** Adds an endpoint, by the number of rows that it has in memory. */
  join(held: () => number): () => void
  /** Rows that an endpoint may have read from the table. */
  size(): number
  /** Rows up to which an endpoint keeps new ones, which need not be read. */
  sizeForNew(): number
}

const READ = { all: 2_048, max: 256, min: 16 }
/** Of a busy stream a second's worth. */
const NEW = 4_096

export function createPrefetchWindow(): PrefetchWindow {
  const members = new Set<() => number>()

  /** Of each endpoint that has rows in memory, and of one more. */
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
