import { type ReadonlySignal, signal } from '@preact/signals'
import type { EventRow } from './event-row.ts'

/** The events that the page keeps, newest first; above limits of number and bytes the oldest are dropped. */
interface Tail {
  readonly rows: ReadonlySignal<readonly EventRow[]>
  /** While paused, new events wait and the rows do not change. */
  readonly isPaused: ReadonlySignal<boolean>
  /** Number of waiting events. */
  readonly waiting: ReadonlySignal<number>
  /** Adds a new event; the rows change at most a few times a second. */
  add(row: EventRow): void
  /** Adds events older than all others. */
  addOlder(rows: readonly EventRow[]): void
  readonly isFull: boolean
  pause(): void
  resume(): void
  clear(): void
  stop(): void
}

export const MAX_ROWS = 2_000
const MAX_CHARACTERS = 8_000_000
const FLUSH_MS = 250

export function createTail(): Tail {
  const rows = signal<readonly EventRow[]>([])
  const isPaused = signal(false)
  const waiting = signal(0)
  /** Newest last. */
  let fresh: EventRow[] = []
  let count = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    timer = undefined
    waiting.value = isPaused.value ? count : 0
    if (isPaused.value || fresh.length === 0) return
    rows.value = bounded([...fresh.reverse(), ...rows.value])
    fresh = []
    count = 0
  }
  function later(): void {
    timer ??= setTimeout(flush, FLUSH_MS)
  }

  return {
    rows,
    isPaused,
    waiting,
    add(row) {
      const newest = fresh.at(-1)?.seq ?? rows.value[0]?.seq ?? 0
      if (row.seq <= newest) return
      count += 1
      fresh.push(row)
      // Keeps up to twice as many before half are dropped: dropping them one by one would move all others.
      if (fresh.length > MAX_ROWS * 2) fresh = fresh.slice(-MAX_ROWS)
      later()
    },
    addOlder(older) {
      const last = rows.value.at(-1)?.seq ?? Number.POSITIVE_INFINITY
      rows.value = bounded([...rows.value, ...older.filter(({ seq }) => seq < last)])
    },
    get isFull() {
      return rows.value.length >= MAX_ROWS
    },
    pause() {
      isPaused.value = true
    },
    resume() {
      isPaused.value = false
      flush()
    },
    clear() {
      fresh = []
      count = 0
      rows.value = []
      waiting.value = 0
    },
    stop: () => clearTimeout(timer),
  }
}

function bounded(rows: EventRow[]): EventRow[] {
  let characters = 0
  const end = rows.findIndex(({ json }, at) => {
    characters += json.length
    return at >= MAX_ROWS || characters > MAX_CHARACTERS
  })
  return end < 0 ? rows : rows.slice(0, end)
}
