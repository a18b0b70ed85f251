import type { Delivery } from './deliveries.ts'

/** One chat's deliveries, in order. */
export interface Lane {
  readonly id: string
  readonly queue: Delivery[]
  isBusy: boolean
  /** Its head failed: nothing goes before this time. */
  parkedUntil: number
  /** There are more rows of it in the table than in memory. */
  isShort: boolean
}

export interface Lanes {
  add(delivery: Delivery): void
  /** Lanes that have something to do and nothing under way. */
  ready(): Lane[]
  /** Holds a lane back; only its head stays in memory. */
  park(lane: Lane, until: number): void
  /** Brings back what has waited long enough, with rows that `load` reads from the table. */
  revive(now: number, load: (lane: string, from: number) => Promise<Delivery[]>): Promise<void>
  /** Forgets a lane that is empty. */
  settle(lane: Lane): void
  /** Rows in memory. */
  size(): number
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  let count = 0
  const recount = (): void => {
    count = 0
    for (const { queue } of lanes.values()) count += queue.length
  }
  return {
    add(delivery) {
      const lane = lanes.get(delivery.lane) ?? {
        id: delivery.lane,
        queue: [],
        isBusy: false,
        parkedUntil: 0,
        isShort: false,
      }
      lanes.set(lane.id, lane)
      if (delivery.nextAt > Date.now() && lane.queue.length === 0) lane.parkedUntil = delivery.nextAt
      // Behind a failed head, or behind rows that are still in the table: it stays there too.
      if ((lane.parkedUntil > 0 && lane.queue.length > 0) || lane.isShort) lane.isShort = true
      else {
        lane.queue.push(delivery)
        count += 1
      }
    },
    ready: () =>
      [...lanes.values()].filter(
        ({ isBusy, parkedUntil, queue }) => !isBusy && parkedUntil === 0 && queue.length > 0,
      ),
    park(lane, until) {
      lane.parkedUntil = until
      if (lane.queue.length > 1) lane.isShort = true
      lane.queue.length = Math.min(lane.queue.length, 1)
      recount()
    },
    async revive(now, load) {
      for (const lane of [...lanes.values()]) {
        const isDue = lane.parkedUntil > 0 && lane.parkedUntil <= now
        const isDry = lane.isShort && lane.parkedUntil === 0 && lane.queue.length === 0
        if (lane.isBusy || (!isDue && !isDry)) continue
        const rows = await load(lane.id, lane.queue[0]?.seq ?? 0)
        lane.queue.splice(0, lane.queue.length, ...rows)
        lane.parkedUntil = 0
        lane.isShort = rows.length >= 100
        if (rows.length === 0) lanes.delete(lane.id)
      }
      recount()
    },
    settle(lane) {
      if (lane.queue.length === 0 && !lane.isShort) lanes.delete(lane.id)
      recount()
    },
    size: () => count,
  }
}
