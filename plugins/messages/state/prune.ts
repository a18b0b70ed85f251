import { createInterval, type Interval, type Log, type PluginDb } from 'wamux/plugin'
import type { MessagesConfig } from '../config.ts'

interface Deps {
  db: PluginDb
  config: MessagesConfig
  log: Log
}

const HOUR_MS = 3_600_000
/** As long as the driver keeps the secrets under which votes are sealed. */
const POLL_MS = 90 * 24 * HOUR_MS

/** Deletes rows older than `keepDays`, at start and every hour. */
export function createPruning({ db, config, log }: Deps): Interval {
  async function prune(): Promise<void> {
    const before = Date.now() - Math.round(config.keepDays * 24 * HOUR_MS)
    for (const table of ['states', 'reuploads'])
      await db.prune(table, (query) => query.where('logged', '<', before))
    for (const table of ['votes', 'tallies'])
      await db.prune(table, (query) => query.where('logged', '<', Date.now() - POLL_MS))
  }
  return createInterval(HOUR_MS, prune, (error) =>
    log.error({ err: error }, 'deleting old message states failed'),
  )
}
