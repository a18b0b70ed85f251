import { LRUCache } from 'lru-cache'
import type { AuditLog } from '../audit/audit.ts'
import { isGatewayError, reasonOf } from '../errors.ts'
import type { AuditEntry } from '../types/audit.ts'
import type { Log } from '../types/driver.ts'
import type { Route } from '../types/route.ts'

export interface Auditor {
  /** Runs the handler of a route that is marked, and notes it with its outcome before anyone is answered. */
  run(route: Route, who: Pick<AuditEntry, 'actor' | 'address' | 'request'>, work: Work): Promise<unknown>
}

type Work = () => Promise<unknown>

/** Reading the same again within this time is not noted again: a page that polls would fill the log. */
const REPEAT_MS = 60_000

export function createAuditor(audit: Pick<AuditLog, 'note'>, log: Log): Auditor {
  const readers = new LRUCache<string, true>({ max: 1000, ttl: REPEAT_MS })

  function isRepeated({ method }: Route, key: string): boolean {
    if (method !== 'GET') return false
    if (readers.has(key)) return true
    readers.set(key, true)
    return false
  }

  return {
    async run({ method, spec, path }, who, work) {
      const { audit: action } = spec
      if (!action || isRepeated({ method, spec, path }, `${who.actor} ${who.address} ${action}`))
        return work()
      const note = (target: string, result: string): Promise<void> =>
        audit.note({ ...who, action, target, result })
      const own = who.actor === 'admin' ? '' : who.actor
      const outcome = await work().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      )
      if ('result' in outcome) {
        await note(own || idOf(outcome.result), 'ok')
        return outcome.result
      }
      const { error } = outcome
      await note(own, isGatewayError(error) ? error.code : 'INTERNAL').catch((failure: unknown) =>
        log.error({ action, reason: reasonOf(failure) }, 'not noted in the audit log'),
      )
      throw error
    },
  }
}

/** The session that an admin's call was about, as the answer names it. */
function idOf(answer: unknown): string {
  const id = (answer as { Id?: unknown } | undefined)?.Id
  return typeof id === 'string' ? id : ''
}
