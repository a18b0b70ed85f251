import { hostOf } from '../dispatch/host-breakers.ts'

/** Results of the attempts to deliver to one host since the start. */
export interface DeliveryTally {
  delivered: number
  /** Failed, with a retry planned. */
  failed: number
  /** Given up: failed at the last attempt, or refused for good by a 410. */
  dead: number
  /** Total milliseconds from event to delivery, over all deliveries. */
  lagMs: number
}

export interface Tallies {
  of(url: string): DeliveryTally
  all(): ReadonlyMap<string, DeliveryTally>
}

/** Number of addresses remembered; their hosts are remembered longer. */
const MAX_URLS = 10_000

export function createTallies(): Tallies {
  const byHost = new Map<string, DeliveryTally>()
  const byUrl = new Map<string, DeliveryTally>()
  return {
    of(url) {
      const known = byUrl.get(url)
      if (known) return known
      const host = hostOf(url)
      const tally = byHost.get(host) ?? { delivered: 0, failed: 0, dead: 0, lagMs: 0 }
      byHost.set(host, tally)
      if (byUrl.size >= MAX_URLS) byUrl.clear()
      byUrl.set(url, tally)
      return tally
    },
    all: () => byHost,
  }
}
