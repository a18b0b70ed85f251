import { hostOf } from '../dispatch/host-breakers.ts'

/** What became of the attempts to deliver to one host, since the start. */
export interface Tally {
  delivered: number
  /** Failed, and to be repeated. */
  failed: number
  /** Given up: failed at the last attempt, or refused for good by a 410. */
  dead: number
  /** Milliseconds from the event to its delivery, of all that were delivered. */
  lagMs: number
}

export interface Tallies {
  of(url: string): Tally
  all(): ReadonlyMap<string, Tally>
}

/** Addresses that are remembered; their hosts are remembered longer. */
const MAX_URLS = 10_000

export function createTallies(): Tallies {
  const byHost = new Map<string, Tally>()
  const byUrl = new Map<string, Tally>()
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
