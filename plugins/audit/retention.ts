import type { Kernel } from 'wamux/plugin'
import type { AuditLog } from './log.ts'

const DAY_MS = 24 * 3_600_000
const KEEP_DAYS = 90

/** Drops old rows at the start and once a day. */
export function createRetention({
  audit,
  background,
}: { audit: AuditLog } & Pick<Kernel<unknown>, 'background'>) {
  let timer: NodeJS.Timeout | undefined

  function prune(): void {
    const time = new Date(Date.now() - KEEP_DAYS * DAY_MS)
    background(audit.prune(time), 'dropping old rows of the audit log')
  }

  return {
    start(): void {
      prune()
      timer = setInterval(prune, DAY_MS)
    },
    stop(): void {
      clearInterval(timer)
    },
  }
}
