/** Counts values by size. Observing a value costs one comparison per bound and two additions. */
export interface Histogram {
  /** Upper bounds, inclusive, ascending. */
  readonly bounds: readonly number[]
  /** Number of values up to each bound and above the one before; the last counts values above all bounds. */
  readonly counts: readonly number[]
  readonly sum: number
  observe(value: number): void
}

export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  return {
    bounds,
    counts,
    get sum() {
      return sum
    },
    observe(value) {
      let at = 0
      while (value > (bounds[at] ?? Number.POSITIVE_INFINITY)) at += 1
      counts[at] = (counts[at] ?? 0) + 1
      sum += value
    },
  }
}
