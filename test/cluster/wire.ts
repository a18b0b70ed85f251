import type { WireEvent } from '../../plugins/sandbox/network/transport/server.ts'

/** What the network saw of the links of each device, and what was wrong with it. */
export interface Wire {
  observe(event: WireEvent): void
  /** Links of a device that were open when another one of it logged in: the network ends the older one. */
  readonly overlaps: readonly string[]
  /** Messages and receipts that came from a link after a later one of its device had logged in. */
  readonly stale: readonly string[]
  /** Whether its newest link is open. */
  isServed(device: string): boolean
  /** `performance.now()` of the last login of a device. */
  openedAt(device: string): number
  devices(): string[]
}

const JUDGED = new Set(['message', 'receipt', 'ack'])

export function createWire(): Wire {
  const open = new Map<string, Set<number>>()
  const newest = new Map<string, { link: number; at: number }>()
  const overlaps: string[] = []
  const stale: string[] = []
  return {
    overlaps,
    stale,
    observe(event) {
      const { device, link } = event
      const links = open.get(device) ?? new Set()
      open.set(device, links)
      if (event.kind === 'open') {
        if (links.size > 0) overlaps.push(`${device}: link ${link} beside ${[...links].join()}`)
        links.add(link)
        newest.set(device, { link, at: performance.now() })
      } else if (event.kind === 'stanza') {
        const { tag, attrs } = event.stanza
        if (JUDGED.has(tag) && (newest.get(device)?.link ?? 0) > link)
          stale.push(`${device}: ${tag} ${attrs['id']} from link ${link}`)
      } else links.delete(link)
    },
    isServed(device) {
      const last = newest.get(device)
      return last !== undefined && open.get(device)?.has(last.link) === true
    },
    openedAt: (device) => newest.get(device)?.at ?? 0,
    devices: () => [...newest.keys()],
  }
}
