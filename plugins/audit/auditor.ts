import { LRUCache } from 'lru-cache'
import { isGatewayError, type Kernel, type RouteCall, reasonOf } from 'wamux/plugin'
import type { AuditLog } from './log.ts'

export interface Auditor {
  /** Runs a call; if its route is audited and its handler ran, the result is recorded before the call is answered. */
  run(call: RouteCall, next: () => Promise<unknown>): Promise<unknown>
}

/** Repeated reads within this time are not recorded: a page that polls would fill the log. */
const REPEAT_MS = 60_000

export function createAuditor({ audit, log }: { audit: AuditLog } & Pick<Kernel<unknown>, 'log'>): Auditor {
  const readers = new LRUCache<string, true>({ max: 1000, ttl: REPEAT_MS })

  function isRepeated({ route, actor, address }: RouteCall): boolean {
    if (route.method !== 'GET') return false
    const key = `${actor} ${address} ${route.spec.audit}`
    if (readers.has(key)) return true
    readers.set(key, true)
    return false
  }

  function note({ actor, address, request }: RouteCall, action: string, target: string, result: string) {
    return audit.record({ actor, address, request, action, target, result })
  }

  return {
    async run(call, next) {
      const action = call.route.spec.audit
      if (!action) return next()
      const outcome = await next().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      )
      const isNoted = call.isHandled && !isRepeated(call)
      const own = call.session
      if ('result' in outcome) {
        if (isNoted) await note(call, action, own || idOf(outcome.result), 'ok')
        return outcome.result
      }
      const { error } = outcome
      if (isNoted)
        await note(call, action, own, isGatewayError(error) ? error.code : 'INTERNAL').catch(
          (failure: unknown) =>
            log.error({ action, reason: reasonOf(failure) }, 'recording in the audit log failed'),
        )
      throw error
    },
  }
}

/** The target session of an admin's call, as named by the answer. */
function idOf(answer: unknown): string {
  const id = (answer as { Id?: unknown } | undefined)?.Id
  return typeof id === 'string' ? id : ''
}
