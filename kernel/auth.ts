import { createHash, timingSafeEqual } from 'node:crypto'
import { type GatewayError, gatewayError } from './errors.ts'
import type { Failures, TokenKind } from './http/failures.ts'
import type { SessionManager } from './sessions/manager.ts'
import type { AuditEntry } from './types/audit.ts'
import type { Access } from './types/route.ts'
import type { Session } from './types/session.ts'

export interface Credentials {
  readonly token: string
  readonly adminToken: string
  /** Where the call comes from. */
  readonly address: string
}

export interface GateParts {
  adminToken: string | undefined
  sessions: SessionManager
  failures: Failures
  /** An address is over its limit of wrong tokens; once in a window. */
  onBurst(entry: AuditEntry): void
}

/** How long a call waits for a linked session that is reconnecting. */
const SETTLE_MS = 10_000

/**
 * The access ladder: each step asks for all that the one before asks for.
 * `public` nothing, `admin` the admin token, `token` a known token, `client` a client in memory,
 * `login` (the default) an open link.
 *
 * @returns the session that the token names; undefined for `public` and `admin`.
 */
export function createGate({ adminToken, sessions, failures, onBurst }: GateParts) {
  function wrong(kind: TokenKind, { address }: Credentials, given: string): GatewayError {
    const refusal = gatewayError(kind === 'admin' ? 'ADMIN_INVALID' : 'TOKEN_INVALID')
    // Who gives none has guessed none.
    if (!given) return refusal
    const { wait, isFirst } = failures.count(kind, address)
    if (isFirst)
      onBurst({ actor: '', address, action: 'auth.burst', target: '', result: refusal.code, request: '' })
    return wait > 0 ? gatewayError('TOO_MANY_FAILURES', [wait], { retryAfter: wait }) : refusal
  }

  return async function admit(access: Access, given: Credentials): Promise<Session | undefined> {
    if (access === 'public') return undefined
    if (access === 'admin') {
      // Without a configured token nobody is admin: an empty header must not match an empty setting.
      if (!adminToken || !isEqual(given.adminToken, adminToken)) throw wrong('admin', given, given.adminToken)
      return undefined
    }
    const session = given.token ? await sessions.byToken(given.token) : undefined
    if (!session) throw wrong('token', given, given.token)
    if (access === 'token') return session
    if (access === 'client') return session.state === 'offline' ? sessions.settle(session.id, 0) : session
    if (session.state === 'open' && session.socket) return session
    return open(await sessions.settle(session.id, SETTLE_MS))
  }
}

export type Gate = ReturnType<typeof createGate>

function open(session: Session): Session {
  if (session.state === 'open' && session.socket) return session
  const { state, reason } = session
  const isOver = state === 'logged-out' || state === 'banned'
  if (session.jid && !isOver)
    throw gatewayError('NO_CLIENT', [], { details: `the link is ${state}: ${reason || 'reconnecting'}` })
  throw gatewayError('NOT_LOGGED_IN', [], reason ? { details: reason } : {})
}

/** Compares digests, so that neither content nor length shows in the time it takes. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
