import { createInterval, type Interval, type Log } from 'wamux/plugin'
import type { AuditLog } from './log.ts'

const DAY_MS = 24 * 3_600_000
const KEEP_DAYS = 90

/** Deletes old rows at start and once a day. */
export function createRetention({ audit, log }: { audit: AuditLog; log: Log }): Interval {
  return createInterval(
    DAY_MS,
    () => audit.prune(new Date(Date.now() - KEEP_DAYS * DAY_MS)),
    (error) => log.error({ err: error }, 'deleting old rows of the audit log failed'),
  )
}
