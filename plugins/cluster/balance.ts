import type { Census } from './leases.ts'

/** Sessions that a node may have: an equal share, rounded up so that none is left over. */
export function fairShare({ sessions, nodes }: Census): number {
  return Math.ceil(sessions / Math.max(1, nodes.length))
}

/**
 * How far a node may exceed its share before it hands sessions over: without this, two nodes would pass one back and forth.
 */
export function tolerance(share: number): number {
  return Math.max(2, Math.ceil(share * 0.05))
}

/** The node that should get a session of `from`; undefined while the shares are fair enough. */
export function moveTo(census: Census, from: string): string | undefined {
  const share = fairShare(census)
  const held = census.nodes.find(({ id }) => id === from)?.held ?? 0
  if (held <= share + tolerance(share)) return undefined
  const [least] = census.nodes.filter(({ id }) => id !== from).sort((a, b) => a.held - b.held)
  return least && least.held < share ? least.id : undefined
}
