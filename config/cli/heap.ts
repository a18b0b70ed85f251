import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** V8's growth factor of the young generation; the default is 2. */
const GROWTH = '--semi-space-growth-factor='
/** Node 24 lets it grow to 128 MB and is no faster; with 32 MB a send takes 5 % more of the processor (BENCHMARKS.md). */
const MAX_YOUNG_BYTES = 64 * 2 ** 20
/** Flags that set it for the whole life of a process. */
const SIZE_FLAG = /semi.space|new.space/
let isSizeGiven = false

/**
 * Keeps the heap small while modules load. Their objects live as long as the process and would make the young generation
 * grow to its full size before there is any work.
 *
 * @param options the flags of NODE_OPTIONS: `releaseHeap` keeps a size that they or the command line set.
 */
export function holdHeap(options = ''): void {
  isSizeGiven = SIZE_FLAG.test([...process.execArgv, options].join(' '))
  setFlagsFromString(`${GROWTH}1`)
}

/** From now on the heap may grow with the work; garbage of the start is collected first. */
export function releaseHeap(): void {
  setFlagsFromString(`${GROWTH}2`)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  if (!isSizeGiven) boundYoungGeneration(MAX_YOUNG_BYTES)
}

/** V8 takes a maximum only at the start of a process: here the young generation stops growing once it has that many bytes. */
export function boundYoungGeneration(bytes: number): void {
  let mayGrow = true
  const observer = new PerformanceObserver(() => {
    const isSmall = youngBytes() < bytes
    if (isSmall === mayGrow) return
    mayGrow = isSmall
    setFlagsFromString(`${GROWTH}${mayGrow ? 2 : 1}`)
  })
  observer.observe({ entryTypes: ['gc'] })
}

export function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
