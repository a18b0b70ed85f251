/** What has arrived at a receiver, by number. */
export interface Arrivals {
  add(number: number): void
  /** Resolves when that many different ones have arrived since the start. */
  reached(count: number): Promise<void>
  /** Milliseconds since 1970 at which each number first came. */
  readonly times: readonly number[]
  /** Numbers that have come again, once for each time. */
  readonly repeated: readonly number[]
}

export function createArrivals(): Arrivals {
  const times: number[] = []
  const repeated: number[] = []
  let count = 0
  let waiting: { count: number; resolve(): void } | undefined
  const check = (): void => {
    if (!waiting || count < waiting.count) return
    waiting.resolve()
    waiting = undefined
  }
  return {
    times,
    repeated,
    add(number) {
      if (times[number] !== undefined) {
        repeated.push(number)
        return
      }
      times[number] = performance.timeOrigin + performance.now()
      count += 1
      check()
    },
    reached: (wanted) =>
      new Promise((resolve) => {
        waiting = { count: wanted, resolve }
        check()
      }),
  }
}
