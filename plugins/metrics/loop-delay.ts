import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Seconds. */
export interface Delays {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** How late the event loop runs. */
export interface LoopDelay {
  start(): void
  /** Since the last read; reads within a tenth of a second get the same. */
  read(): Delays
  stop(): void
}

/** Sampling interval. */
const RESOLUTION_MS = 20
const SAME_MS = 100

export function createLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let last: Delays = { p50: 0, p99: 0, max: 0 }
  let readAt = 0

  /** The measured value includes the timer's own interval. */
  const toSeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)

  return {
    start: () => void histogram.enable(),
    read() {
      if (Date.now() - readAt < SAME_MS || histogram.count === 0) return last
      last = {
        p50: toSeconds(histogram.percentile(50)),
        p99: toSeconds(histogram.percentile(99)),
        max: toSeconds(histogram.max),
      }
      readAt = Date.now()
      histogram.reset()
      return last
    },
    stop: () => void histogram.disable(),
  }
}
