import { Worker } from 'node:worker_threads'
import type { Log } from '../types/driver.ts'
import { type Activity, PLACES } from './activity.ts'
import type { Blocked, WatchData } from './blocked.ts'
import { watch } from './watch.ts'

export interface WatchdogOptions {
  /** Milliseconds without a turn of the event loop after which it counts as blocked. */
  readonly blockedMs: number
  /** File descriptor for lines written while the event loop is blocked and can't log. */
  readonly output?: number
}

/** How often and for how long one work blocked the event loop. */
export interface BlockedBy {
  /** '' if unknown. */
  readonly work: string
  readonly plugin: string
  count: number
  seconds: number
}

export interface Watchdog {
  readonly blocked: readonly BlockedBy[]
  stop(): Promise<void>
}

/** Starts a thread that notices when the event loop does not run, and reports the cause. */
export function startWatchdog(
  activity: Activity,
  log: Log,
  { blockedMs, output }: WatchdogOptions,
): Watchdog {
  const blocked = new Map<string, BlockedBy>()
  const folder = process.cwd()
  const { shared, works } = activity
  const workerData: WatchData = { shared, works, places: PLACES, blockedMs, output, folder }
  // As text: it is the same from source and in a release, and starts without a loader.
  const thread = new Worker(
    `const __name = (value) => value
    ;(${watch})({
      workerThreads: require('node:worker_threads'),
      inspector: require('node:inspector'),
      fs: require('node:fs'),
    })`,
    { eval: true, workerData, execArgv: [], name: 'watchdog' },
  )
  thread.unref()
  thread.on('error', (err) => log.error({ err }, 'the watchdog of the event loop has ended'))
  thread.on('message', (found: Blocked) => {
    const { work = '', plugin = '', ms } = found
    const counted = blocked.get(`${work} ${plugin}`) ?? { work, plugin, count: 0, seconds: 0 }
    blocked.set(`${work} ${plugin}`, counted)
    counted.count += 1
    counted.seconds += ms / 1000
    log.warn(found, 'event loop was blocked')
  })
  const timer = setInterval(activity.beat, Math.max(10, blockedMs / 8)).unref()
  return {
    get blocked() {
      return [...blocked.values()]
    },
    async stop() {
      clearInterval(timer)
      await thread.terminate()
    },
  }
}
