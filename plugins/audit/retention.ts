import { ALL_OWNED, createInterval, type Interval, type Log, type Ownership } from 'wamux/plugin'
import type { AuditLog } from './log.ts'
import type { SharedCount } from './shared-count.ts'

const DAY_MS = 24 * 3_600_000
const KEEP_DAYS = 90

/** One process runs it for all. */
const TASK = '(audit retention)'

interface Deps {
  audit: AuditLog
  sharedCount: SharedCount
  log: Log
  ownership?: Ownership | undefined
}

/** Deletes old rows at start and once a day. */
export function createRetention({ audit, sharedCount, log, ownership = ALL_OWNED }: Deps): Interval {
  return createInterval(
    DAY_MS,
    async () => {
      if (!ownership.owns(TASK)) return
      await audit.prune(new Date(Date.now() - KEEP_DAYS * DAY_MS))
      await sharedCount.prune()
    },
    (error) => log.error({ err: error }, 'deleting old rows of the audit log failed'),
  )
}
