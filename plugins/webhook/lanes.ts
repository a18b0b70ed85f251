import type { Delivery, Page } from './deliveries.ts'
import { createDue } from './due.ts'

/** One chat's deliveries to one endpoint, in order. */
export interface Lane {
  readonly id: string
  readonly queue: Delivery[]
  isBusy: boolean
  /** Its head failed: nothing goes before this time; 0 for none. */
  due: number
  /** There are more rows of it in the table than in memory. */
  isShort: boolean
  /** Rows were left in the table since the last look. */
  isStale: boolean
  isReady: boolean
  /** Since when its head has been failing; 0 for none. */
  stuckSince: number
}

/** What one endpoint holds in memory. A lane that waits holds no rows: they are read again when it is due. */
export interface Lanes {
  /** Rows in memory. */
  held(): number
  /** Takes a row in; `until` holds its lane back to that time, 0 for now. */
  add(delivery: Delivery, until: number): void
  /** Lanes that can take no more rows: they are read again one by one. Not all of them when they are many. */
  short(): string[]
  /** The next lane that has work; busy from now on. */
  begin(): Lane | undefined
  /** The head of a busy lane is done with. */
  next(lane: Lane): void
  /** Its head is to be tried again, not before `until`. */
  park(lane: Lane, until: number): void
  /** Ends the waits that are over; answers when the next one is, if any. */
  ripen(now: number): number | undefined
  /** A lane whose rows must be read from the table. */
  dry(): Lane | undefined
  /** What was read for a dry lane. */
  refill(lane: Lane, page: Page): void
  /** Forgets everything but what is under way. */
  clear(): void
}

/** Rows of one lane in memory; a chat with a long queue leaves room for the others. */
const LANE_MOST = 64
/** Lanes to be named in one query. */
const SHORT_MOST = 500

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  const waits = createDue<Lane>()
  let ready: Lane[] = []
  let empty: Lane[] = []
  let count = 0

  function open(id: string): Lane {
    const blank = { isBusy: false, isShort: false, isStale: false, isReady: false, due: 0, stuckSince: 0 }
    const lane = lanes.get(id) ?? { id, queue: [], ...blank }
    lanes.set(id, lane)
    return lane
  }
  function drop(lane: Lane, keep: number): void {
    count -= lane.queue.length - keep
    lane.queue.length = keep
  }
  /** Puts an idle lane where it belongs. */
  function place(lane: Lane): void {
    if (lane.isBusy || lane.due > 0 || lane.isReady) return
    if (lane.queue.length > 0) {
      lane.isReady = true
      ready.push(lane)
    } else if (lane.isShort) empty.push(lane)
    else lanes.delete(lane.id)
  }
  function wait(lane: Lane, until: number): void {
    lane.isShort = true
    lane.due = until
    waits.push(until, lane)
  }

  return {
    held: () => count,
    add(delivery, until) {
      const lane = open(delivery.lane)
      if (lane.isShort || lane.queue.length >= LANE_MOST) {
        lane.isShort = true
        lane.isStale = true
      } else if (until > 0 && lane.queue.length === 0) wait(lane, until)
      else {
        lane.queue.push(delivery)
        count += 1
        place(lane)
      }
    },
    short() {
      const found: string[] = []
      for (const lane of lanes.values()) {
        if (lane.isShort) found.push(lane.id)
        if (found.length === SHORT_MOST) break
      }
      return found
    },
    begin() {
      const lane = ready.shift()
      if (!lane) return undefined
      lane.isReady = false
      lane.isBusy = true
      return lane
    },
    next(lane) {
      lane.queue.shift()
      count -= 1
      lane.isBusy = false
      lane.stuckSince = 0
      place(lane)
    },
    park(lane, until) {
      drop(lane, 0)
      lane.isBusy = false
      wait(lane, until)
    },
    ripen(now) {
      for (const { at, item } of waits.until(now)) {
        if (lanes.get(item.id) !== item || item.due !== at) continue
        item.due = 0
        place(item)
      }
      return waits.first()
    },
    dry() {
      const lane = empty.shift()
      if (lane) lane.isStale = false
      return lane
    },
    refill(lane, { rows, isLast }) {
      if (lanes.get(lane.id) !== lane) return
      lane.isShort = !isLast || lane.isStale
      lane.queue.push(...rows)
      count += rows.length
      place(lane)
    },
    clear() {
      ready = []
      empty = []
      waits.clear()
      for (const lane of lanes.values()) {
        lane.isReady = false
        drop(lane, lane.isBusy ? 1 : 0)
        lane.isShort = true
        if (!lane.isBusy) lanes.delete(lane.id)
      }
    },
  }
}
