import { randomFrom } from './random.ts'

/** Every moment of traffic that the product names (kernel/failpoint.ts); those of linking are in linking.test.ts. */
export const MOMENTS = [
  'before:commit',
  'after:commit',
  'before:frame',
  'after:frame',
  'after:decrypt',
  'after:ratchet',
  'before:event',
  'after:outgoing-row',
  'after:relay',
  'after:ack',
  'after:sent',
] as const

/** How one life of the gateway ends: at the nth pass of a moment, or after so many milliseconds of traffic. */
export type Kill = { at: string; nth: number } | { ms: number }

/** Half of the kills at moments, each moment in turn, half at random times. The same for the same seed. */
export function schedule(kills: number, seed: number): Kill[] {
  const random = randomFrom(seed)
  return Array.from({ length: kills }, (_, index) => {
    if (index % 2 === 1) return { ms: Math.floor(random() * 600) }
    const at = MOMENTS[(index / 2) % MOMENTS.length] ?? MOMENTS[0]
    return { at, nth: 1 + Math.floor(random() * (at.endsWith('commit') || at.endsWith('frame') ? 60 : 15)) }
  })
}
