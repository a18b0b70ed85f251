import { gatewayError, isGatewayError, type Kernel, type RouteCall } from 'wamux/plugin'
import type { AuditLog } from './log.ts'
import { createWrongTokens } from './wrong-tokens.ts'

export interface Guard {
  /** Runs a call; one with a wrong token from an address that is over its limit rejects TOO_MANY_FAILURES. */
  run(call: RouteCall, next: () => Promise<unknown>): Promise<unknown>
}

/** Limits the rate of wrong tokens. A valid token always passes. */
export function createGuard({
  audit,
  background,
}: { audit: AuditLog } & Pick<Kernel<unknown>, 'background'>): Guard {
  const wrongTokens = createWrongTokens()

  function refusal({ address, hasToken, mayBeAdmin, isHandled }: RouteCall, error: unknown): unknown {
    // A call without a token is not an attempt; a handler may refuse a token in a body.
    if (!hasToken || isHandled || !isGatewayError(error)) return error
    const { code } = error
    if (code !== 'ADMIN_INVALID' && code !== 'TOKEN_INVALID') return error
    const { wait, isFirst } = wrongTokens.count(mayBeAdmin ? 'admin' : 'token', address)
    if (isFirst)
      background(
        audit.record({ actor: '', address, action: 'auth.burst', target: '', result: code, request: '' }),
        'recording a burst of wrong tokens',
      )
    return wait > 0 ? gatewayError('TOO_MANY_FAILURES', [wait], { retryAfter: wait }) : error
  }

  return {
    async run(call, next) {
      try {
        return await next()
      } catch (error) {
        throw refusal(call, error)
      }
    },
  }
}
