import { createHash, timingSafeEqual } from 'node:crypto'
import { gatewayError } from '../errors.ts'
import type { SessionManager } from '../sessions/manager.ts'
import type { Caller, Credentials, Route } from '../types/route.ts'
import type { Session } from '../types/session.ts'

/** Who calls, for which session. */
export interface Authorized {
  /** `admin`, the id of a session, or that of a caller; '' for a public route. */
  readonly actor: string
  readonly session?: Session
  readonly caller?: Caller
  /** Aborted when the credentials cease to be valid. */
  ended?(): AbortSignal | undefined
}

export interface AuthorizeParts {
  adminToken: string | undefined
  sessions: Pick<
    SessionManager,
    'assertOwned' | 'byId' | 'byToken' | 'remote' | 'tokenEnded' | 'waitUntilConnected'
  >
  authenticate(credentials: Credentials, route: Route): Promise<Caller | undefined>
}

/** How long a request waits for a linked session that is reconnecting. */
const RECONNECT_WAIT_MS = 10_000

/**
 * The levels of access: `public` requires nothing, `admin` the admin token, `owner` that or a session's own token, `token` a
 * known token, `client` also a client in memory, `login` (the default) also an open link. Credentials that the kernel does
 * not know are left to the plugins, whose callers need the scope of the route.
 */
export function createAuthorize({ adminToken, sessions, authenticate }: AuthorizeParts) {
  async function withLink(
    { access = 'login', isQueueable = false }: Route['spec'],
    session: Session,
  ): Promise<Session> {
    const remote = isQueueable ? await sessions.remote(session.id) : undefined
    if (remote) return remote
    sessions.assertOwned(session.id)
    if (access === 'client')
      return session.state === 'offline' ? sessions.waitUntilConnected(session.id, 0) : session
    if (access !== 'login' || (session.state === 'open' && session.socket)) return session
    return assertOpen(await sessions.waitUntilConnected(session.id, RECONNECT_WAIT_MS))
  }

  /** @param onCaller called with the id of a plugin's caller, also of one that is refused then. */
  return async function authorize(
    route: Route,
    given: Credentials,
    onCaller: (id: string) => void,
  ): Promise<Authorized> {
    const { access = 'login', scope = 'owner' } = route.spec
    const { token } = given
    if (access === 'public') return { actor: '' }
    // An empty header must not match an empty setting.
    if ((access === 'admin' || access === 'owner') && adminToken && isEqual(given.adminToken, adminToken))
      return { actor: 'admin' }
    const own = access !== 'admin' && token ? await sessions.byToken(token) : undefined
    if (own)
      return {
        actor: own.id,
        session: await withLink(route.spec, own),
        ended: () => sessions.tokenEnded(token),
      }
    const caller = await authenticate(given, route)
    if (!caller) throw gatewayError(access === 'admin' ? 'ADMIN_INVALID' : 'TOKEN_INVALID')
    onCaller(caller.id)
    if (!caller.scopes.includes(scope))
      throw gatewayError('SCOPE_MISSING', [scope, `${route.method} ${route.path}`])
    const ended = (): AbortSignal | undefined => caller.ended
    if (access === 'admin') return { actor: caller.id, caller, ended }
    const session = await sessions.byId(caller.session ?? '')
    if (!session) throw gatewayError('TOKEN_INVALID')
    return { actor: caller.id, session: await withLink(route.spec, session), caller, ended }
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
