import type { Delivery } from '../delivery/delivery.ts'

/** The newest rows of an endpoint, waiting in memory for space in its lanes: this saves reading them from the table. */
interface Recent {
  /** Number of rows. */
  size(): number
  /** Seq of the oldest row; undefined when there is none. */
  first(): number | undefined
  /** Adds rows, in order. Above the limits, the oldest half is dropped and must be read from the table. */
  push(rows: readonly Delivery[]): void
  shift(): Delivery | undefined
  clear(): void
}

export interface RecentLimits {
  readonly rows: number
  /** Characters of the events' JSON. */
  readonly characters: number
}

export function createRecent(limits: () => RecentLimits): Recent {
  let rows: Delivery[] = []
  let characters = 0

  function drop(): void {
    const dropped = rows.splice(0, Math.ceil(rows.length / 2))
    for (const row of dropped) characters -= lengthOf(row)
  }

  return {
    size: () => rows.length,
    first: () => rows[0]?.seq,
    push(added) {
      for (const row of added) {
        rows.push(row)
        characters += lengthOf(row)
      }
      const most = limits()
      while (rows.length > most.rows || characters > most.characters) drop()
    },
    shift() {
      const row = rows.shift()
      if (row) characters -= lengthOf(row)
      return row
    },
    clear() {
      rows = []
      characters = 0
    },
  }
}

function lengthOf({ line }: Delivery): number {
  return line.json?.length ?? 0
}
