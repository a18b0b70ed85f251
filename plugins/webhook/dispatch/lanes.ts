import type { DeliveryPage } from '../delivery/deliveries.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { createDelayQueue } from './delay-queue.ts'

/** The deliveries of one chat to one endpoint, in order. */
export interface Lane {
  readonly id: string
  /** Its rows in memory, head first; the head stays until its result is recorded. */
  readonly queue: Delivery[]
  state: LaneState
  /** Whether the table has further rows of it; `reading` while they are being read and none has been added since. */
  backlog: 'none' | 'some' | 'reading'
  /** Time of the first failure of its head. */
  failingSince: number | undefined
}

export type LaneState =
  /** Its head may be sent. */
  | { readonly kind: 'ready' }
  /** Its head is in flight. */
  | { readonly kind: 'busy' }
  /** Its head failed and may be retried at `until`; no rows are in memory. */
  | { readonly kind: 'waiting'; readonly until: number }
  /** No rows are in memory; they must be read. */
  | { readonly kind: 'empty' }

/** The deliveries of one endpoint in memory. A waiting lane holds no rows: they are read when its wait is over. */
export interface Lanes {
  /** Rows in memory. */
  loaded(): number
  /** Adds a row; with `until`, the lane waits until then. */
  add(delivery: Delivery, until?: number): void
  /** Ids of lanes with further rows in the table, which are read per lane; lists at most MAX_TRUNCATED. */
  truncated(): string[]
  /** Makes the next ready lane busy. */
  begin(): { lane: Lane; head: Delivery } | undefined
  /** Removes the head of a busy lane. */
  advance(lane: Lane): void
  /** Makes a busy lane wait: its head is retried at `until`. */
  delay(lane: Lane, until: number): void
  /** Releases lanes whose wait is over. */
  releaseDue(now: number): void
  /** When the next wait ends; undefined if no lane waits. */
  nextDue(): number | undefined
  /** The next empty lane, marked as being read. */
  underfilled(): Lane | undefined
  /** Adds the rows read for an empty lane. */
  refill(lane: Lane, page: Pick<DeliveryPage, 'rows' | 'isLast'>): void
  /** Removes all rows except those in flight. */
  clear(): void
  /** Like `clear`, but waiting lanes continue to wait. */
  rewind(): void
}

/** Maximum rows of one lane in memory, so that a long lane does not displace the others. */
const MAX_QUEUE = 64
/** Ids in one query. */
const MAX_TRUNCATED = 500

const READY: LaneState = { kind: 'ready' }
const BUSY: LaneState = { kind: 'busy' }
const EMPTY: LaneState = { kind: 'empty' }

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  const waiting = createDelayQueue<Lane>()
  let ready: Lane[] = []
  let empty: Lane[] = []
  let loaded = 0

  function open(id: string): Lane {
    const lane: Lane = { id, queue: [], state: EMPTY, backlog: 'none', failingSince: undefined }
    lanes.set(id, lane)
    return lane
  }
  function push(lane: Lane, rows: readonly Delivery[]): void {
    lane.queue.push(...rows)
    loaded += rows.length
  }
  /** Reduces lanes in these states to their heads in flight. */
  function drop(isKept: (state: LaneState['kind']) => boolean): void {
    ready = []
    empty = []
    for (const lane of lanes.values()) {
      truncate(lane, lane.state.kind === 'busy' ? 1 : 0)
      lane.backlog = 'some'
      if (!isKept(lane.state.kind)) lanes.delete(lane.id)
    }
  }
  function truncate(lane: Lane, length: number): void {
    loaded -= lane.queue.length - length
    lane.queue.length = length
  }
  /** For a lane that is neither busy nor waiting: makes it ready or empty, or removes it if the table has no rows either. */
  function enqueueReady(lane: Lane): void {
    if (lane.queue.length > 0) {
      lane.state = READY
      ready.push(lane)
    } else if (lane.backlog !== 'none') {
      lane.state = EMPTY
      empty.push(lane)
    } else lanes.delete(lane.id)
  }
  function wait(lane: Lane, until: number): void {
    lane.state = { kind: 'waiting', until }
    lane.backlog = 'some'
    waiting.push(until, lane)
  }

  return {
    loaded: () => loaded,
    add(delivery, until = 0) {
      const lane = lanes.get(delivery.lane)
      if (!lane && until > 0) wait(open(delivery.lane), until)
      else if (!lane) {
        const opened = open(delivery.lane)
        push(opened, [delivery])
        enqueueReady(opened)
      } else if (lane.backlog !== 'none' || lane.queue.length >= MAX_QUEUE) lane.backlog = 'some'
      else push(lane, [delivery])
    },
    truncated() {
      const found: string[] = []
      for (const lane of lanes.values()) {
        if (lane.backlog !== 'none') found.push(lane.id)
        if (found.length === MAX_TRUNCATED) break
      }
      return found
    },
    begin() {
      const lane = ready.shift()
      const head = lane?.queue[0]
      if (!lane || !head) return undefined
      lane.state = BUSY
      return { lane, head }
    },
    advance(lane) {
      lane.queue.shift()
      loaded -= 1
      lane.failingSince = undefined
      enqueueReady(lane)
    },
    delay(lane, until) {
      truncate(lane, 0)
      wait(lane, until)
    },
    releaseDue(now) {
      for (const lane of waiting.popDue(now)) enqueueReady(lane)
    },
    nextDue: waiting.nextAt,
    underfilled() {
      const lane = empty.shift()
      if (lane) lane.backlog = 'reading'
      return lane
    },
    refill(lane, { rows, isLast }) {
      // The lane was cleared while its rows were read.
      if (lanes.get(lane.id) !== lane) return
      lane.backlog = isLast && lane.backlog === 'reading' ? 'none' : 'some'
      push(lane, rows)
      enqueueReady(lane)
    },
    clear() {
      waiting.clear()
      drop((state) => state === 'busy')
    },
    rewind: () => drop((state) => state === 'busy' || state === 'waiting'),
  }
}

/** Whether the head of a lane has failed for longer than `seconds`; never with 0. */
export function hasBlockedTooLong({ failingSince }: Lane, seconds: number): boolean {
  return seconds > 0 && failingSince !== undefined && Date.now() - failingSince > seconds * 1000
}
