import { createInterval, type Interval, type Kernel } from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'

const HOUR_MS = 3_600_000

/** Deletes files and choices older than `keepDays`, at start and every hour. */
export function createPruning({ db, config, log }: Kernel<CloudConfig>): Interval {
  async function prune(): Promise<void> {
    const before = Date.now() - Math.round(config.keepDays * 24 * HOUR_MS)
    for (const name of ['media', 'media_parts', 'sent'])
      await db.prune(name, (query) => query.where('logged', '<', before))
  }
  return createInterval(HOUR_MS, prune, (error) =>
    log.error({ err: error }, 'deleting old files of the Cloud API dialect failed'),
  )
}
