import { createInterval, type Interval, type Log } from 'wamux/plugin'
import type { AuditLog } from './log.ts'

const DAY_MS = 24 * 3_600_000
const KEEP_DAYS = 90

/** Drops old rows at the start and once a day. */
export function createRetention({ audit, log }: { audit: AuditLog; log: Log }): Interval {
  return createInterval(
    DAY_MS,
    () => audit.prune(new Date(Date.now() - KEEP_DAYS * DAY_MS)),
    (error) => log.error({ err: error }, 'dropping old rows of the audit log failed'),
  )
}
