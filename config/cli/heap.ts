import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** V8's growth factor of the young generation; the default is 2. */
const GROWTH = '--semi-space-growth-factor='

/**
 * Keeps the heap small while modules load. Their objects live as long as the process and would make the young generation
 * grow to its full 32 MB before there is any work.
 */
export function holdHeap(): void {
  setFlagsFromString(`${GROWTH}1`)
}

/** From now on the heap may grow with the work; garbage of the start is collected first. */
export function releaseHeap(): void {
  setFlagsFromString(`${GROWTH}2`)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}
