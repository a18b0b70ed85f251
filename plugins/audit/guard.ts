import { gatewayError, isGatewayError, type Kernel, type RouteCall } from 'wamux/plugin'
import type { AuditLog } from './log.ts'
import type { SharedCount } from './shared-count.ts'
import { type Counted, createWrongTokens, type TokenKind } from './wrong-tokens.ts'

interface Guard {
  /** Runs a call; one with a wrong token from an address that is over its limit rejects TOO_MANY_FAILURES. */
  run(call: RouteCall, next: () => Promise<unknown>): Promise<unknown>
}

/** Limits the rate of wrong tokens. A valid token always passes. */
export function createGuard({
  audit,
  background,
  peers,
  sharedCount,
}: { audit: AuditLog; sharedCount: SharedCount } & Pick<Kernel<unknown>, 'background' | 'peers'>): Guard {
  const wrongTokens = createWrongTokens()

  async function count(kind: TokenKind, address: string): Promise<Counted> {
    const own = wrongTokens.count(kind, address)
    // Above the limit nothing is written any more, however many tokens are tried.
    if (own.wait > 0 || peers.isAlone) return own
    // Without the database each process counts its own.
    const all = await sharedCount.add(kind, address).catch(() => 0)
    return wrongTokens.raise(kind, address, all)
  }

  async function refusal(
    { address, hasToken, mayBeAdmin, isHandled }: RouteCall,
    error: unknown,
  ): Promise<unknown> {
    // A call without a token is not an attempt; a handler may refuse a token in a body.
    if (!hasToken || isHandled || !isGatewayError(error)) return error
    const { code } = error
    if (code !== 'ADMIN_INVALID' && code !== 'TOKEN_INVALID') return error
    const { wait, isFirst } = await count(mayBeAdmin ? 'admin' : 'token', address)
    if (isFirst)
      background(
        audit.record({
          ...{ actor: '', address, action: 'auth.burst', target: '' },
          ...{ result: code, leaves: '', request: '' },
        }),
        'recording a burst of wrong tokens',
      )
    return wait > 0 ? gatewayError('TOO_MANY_FAILURES', [wait], { retryAfter: wait }) : error
  }

  return {
    async run(call, next) {
      try {
        return await next()
      } catch (error) {
        throw await refusal(call, error)
      }
    },
  }
}
