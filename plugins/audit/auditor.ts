import { LRUCache } from 'lru-cache'
import {
  hostOf,
  isGatewayError,
  type Kernel,
  type Leaving,
  leavingIn,
  leavingOf,
  type Route,
  type RouteCall,
  reasonOf,
} from 'wamux/plugin'
import type { AuditLog } from './log.ts'

export interface Auditor {
  /** Runs a call; if its route is audited, or something left the account, and its handler ran, the result is recorded before the call is answered. */
  run(call: RouteCall, next: () => Promise<unknown>): Promise<unknown>
}

/** Repeated reads within this time are not recorded: a page that polls would fill the log. */
const REPEAT_MS = 60_000

export function createAuditor({ audit, log }: { audit: AuditLog } & Pick<Kernel<unknown>, 'log'>): Auditor {
  const actionOf = newActions()
  const readers = new LRUCache<string, true>({ max: 1000, ttl: REPEAT_MS })

  function isRepeated({ route, actor, address }: RouteCall): boolean {
    if (route.method !== 'GET') return false
    const key = `${actor} ${address} ${actionOf(route)}`
    if (readers.has(key)) return true
    readers.set(key, true)
    return false
  }

  function note(call: RouteCall, action: string, target: string, result: string) {
    const { actor, address, request } = call
    return audit.record({ actor, address, request, action, target, result, leaves: leavesOf(call) })
  }

  /** A file that is given by its content is not fetched: nothing has left. */
  const isWorthy = (call: RouteCall): boolean => call.route.spec.audit !== undefined || leavesOf(call) !== ''

  return {
    async run(call, next) {
      const action = actionOf(call.route)
      if (!action) return next()
      const outcome = await next().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      )
      const isNoted = call.isHandled && isWorthy(call) && !isRepeated(call)
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

/**
 * The name of the route's action; without one of its own that of its path, `user.about`, where it may let out what no event tells:
 * anything but messages and their files.
 */
function newActions(): (route: Route) => string | undefined {
  const known = new WeakMap<Route, { action: string | undefined }>()
  return (route) => {
    const found = known.get(route) ?? { action: route.spec.audit ?? actionOfPath(route) }
    known.set(route, found)
    return found.action
  }
}

function actionOfPath(route: Route): string | undefined {
  const kinds = leavingOf(route)
  const isMessage = kinds.has('recipient') && [...kinds.keys()].every((kind) => MESSAGE.includes(kind))
  if (kinds.size === 0 || isMessage) return undefined
  return route.path.split('/').filter(Boolean).join('.')
}

const MESSAGE: readonly Leaving[] = ['recipient', 'fetch']

/** Kinds, and the hosts of addresses, for the rest of an address may be a secret. */
function leavesOf({ route, checked }: RouteCall): string {
  const words = leavingIn(route, checked).map(({ leaving, address }) =>
    address ? `${leaving} ${hostOf(address.url)}`.trim() : leaving,
  )
  return [...new Set(words)].slice(0, MAX_LEAVES).join(', ')
}

/** Hosts and kinds in a row. */
const MAX_LEAVES = 10

/** The target session of an admin's call, as named by the answer. */
function idOf(answer: unknown): string {
  const id = (answer as { Id?: unknown } | undefined)?.Id
  return typeof id === 'string' ? id : ''
}
