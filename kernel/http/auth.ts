import { createHash, timingSafeEqual } from 'node:crypto'
import { gatewayError } from '../errors.ts'
import type { SessionManager } from '../sessions/manager.ts'
import type { Access } from '../types/route.ts'
import type { Session } from '../types/session.ts'

export interface Credentials {
  readonly token: string
  readonly adminToken: string
}

export interface AuthorizeParts {
  adminToken: string | undefined
  sessions: SessionManager
}

/** How long a request waits for a linked session that is reconnecting. */
const RECONNECT_WAIT_MS = 10_000

/**
 * The levels of access: `public` requires nothing, `admin` the admin token, `token` a known token, `client` also a client
 * in memory, `login` (the default) also an open link.
 *
 * @returns the session that the token names; undefined for `public` and `admin`.
 */
export function createAuthorize({ adminToken, sessions }: AuthorizeParts) {
  return async function authorize(access: Access, given: Credentials): Promise<Session | undefined> {
    if (access === 'public') return undefined
    if (access === 'admin') {
      // An empty header must not match an empty setting.
      if (!adminToken || !isEqual(given.adminToken, adminToken)) throw gatewayError('ADMIN_INVALID')
      return undefined
    }
    const session = given.token ? await sessions.byToken(given.token) : undefined
    if (!session) throw gatewayError('TOKEN_INVALID')
    sessions.assertOwned(session.id)
    if (access === 'token') return session
    if (access === 'client')
      return session.state === 'offline' ? sessions.waitUntilConnected(session.id, 0) : session
    if (session.state === 'open' && session.socket) return session
    return assertOpen(await sessions.waitUntilConnected(session.id, RECONNECT_WAIT_MS))
  }
}

export type Authorize = ReturnType<typeof createAuthorize>

function assertOpen(session: Session): Session {
  if (session.state === 'open' && session.socket) return session
  const { state, reason, failure } = session
  if (failure) throw failure
  const isOver = state === 'logged-out' || state === 'banned'
  if (session.jid && !isOver)
    throw gatewayError('NO_CLIENT', [], { details: `the link is ${state}: ${reason || 'reconnecting'}` })
  throw gatewayError('NOT_LOGGED_IN', [], reason ? { details: reason } : {})
}

/** Compares digests, so that the time reveals neither content nor length. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
