/** A delay queue: items become available at their time, the earliest first. A binary heap. */
export interface DelayQueue<T> {
  push(at: number, item: T): void
  /** Removes the items whose time has come, and returns them in order. */
  popDue(now: number): T[]
  /** The earliest time; undefined when the queue is empty. */
  nextAt(): number | undefined
  clear(): void
}

export function createDelayQueue<T>(): DelayQueue<T> {
  const heap: { at: number; item: T }[] = []
  const at = (index: number): number => heap[index]?.at ?? Number.POSITIVE_INFINITY

  function swap(a: number, b: number): void {
    const [first, second] = [heap[a], heap[b]]
    if (!first || !second) return
    heap[a] = second
    heap[b] = first
  }
  function rise(from: number): void {
    let index = from
    for (let above = (index - 1) >> 1; index > 0 && at(index) < at(above); above = (index - 1) >> 1) {
      swap(index, above)
      index = above
    }
  }
  function sink(): void {
    let index = 0
    for (;;) {
      const below = at(2 * index + 1) <= at(2 * index + 2) ? 2 * index + 1 : 2 * index + 2
      if (at(below) >= at(index)) return
      swap(index, below)
      index = below
    }
  }
  return {
    push(time, item) {
      heap.push({ at: time, item })
      rise(heap.length - 1)
    },
    popDue(now) {
      const due: T[] = []
      while (at(0) <= now) {
        swap(0, heap.length - 1)
        const entry = heap.pop()
        if (entry) due.push(entry.item)
        sink()
      }
      return due
    },
    nextAt: () => heap[0]?.at,
    clear() {
      heap.length = 0
    },
  }
}
