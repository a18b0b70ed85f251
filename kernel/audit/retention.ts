import { reasonOf } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type { AuditLog } from './audit.ts'

const DAY_MS = 24 * 3_600_000
const KEEP_DAYS = 90

/** Drops old rows now and once a day; returns the way to stop. */
export function startRetention(audit: AuditLog, log: Log): () => void {
  const prune = (): void => {
    audit
      .prune(new Date(Date.now() - KEEP_DAYS * DAY_MS))
      .catch((error: unknown) =>
        log.error({ reason: reasonOf(error) }, 'dropping old rows of the audit log failed'),
      )
  }
  prune()
  const timer = setInterval(prune, DAY_MS)
  return () => clearInterval(timer)
}
