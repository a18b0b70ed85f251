import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The share of its size by which V8 lets the space of young objects grow; 2 is its default. */
const GROWTH = '--semi-space-growth-factor='

/**
 * Keeps the heap small while modules load. What they make lives as long as the process, and would let the space of young
 * objects grow to its full 32 MB before there is work for it.
 */
export function holdHeap(): void {
  setFlagsFromString(`${GROWTH}1`)
}

/** The heap may grow with the work from now on; what the start left behind is collected first. */
export function releaseHeap(): void {
  setFlagsFromString(`${GROWTH}2`)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}
