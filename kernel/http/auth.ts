import { gatewayError } from '../errors.ts'
import { isSameSecret } from '../same-secret.ts'
import type { SessionManager } from '../sessions/manager.ts'
import { isWritable } from '../sessions/tokens.ts'
import { liveOf } from '../sessions/view.ts'
import type { Access, Caller, Credentials, Login, Route } from '../types/route.ts'
import type { LiveSession, Session } from '../types/session.ts'

/** The caller, and the session that the call is for. */
export interface Authorized {
  /** `admin`, or the id of a session or a caller; '' for a public route. */
  readonly actor: string
  readonly session?: Session
  readonly caller?: Caller
  /** Aborted when the credentials become invalid. */
  ended?(): AbortSignal | undefined
}

export interface AuthorizeParts {
  adminToken: string | undefined
  sessions: Pick<
    SessionManager,
    | 'assertOwned'
    | 'byId'
    | 'byToken'
    | 'current'
    | 'hasToken'
    | 'named'
    | 'remote'
    | 'tokenEnded'
    | 'waitUntilConnected'
  >
  authenticate(credentials: Credentials, route: Route): Promise<Caller | undefined>
  login(credentials: Credentials, route: Route): Promise<Login | undefined>
}

/** How long a request waits for a linked session that is reconnecting. */
const RECONNECT_WAIT_MS = 10_000

/**
 * The levels of access: `public` requires nothing, `known` any valid token, `admin` the admin token, `owner` the admin token
 * or a session's own, `token` a session's token, `client` also a client in memory, `login` (the default) also an open link.
 * The admin token with a session in `X-Session` counts as the token of that session. Credentials unknown to the kernel are
 * left to the plugins, whose callers need the scope of the route.
 */
export function createAuthorize({ adminToken, sessions, authenticate, login }: AuthorizeParts) {
  async function withLink(
    { access = 'login', isQueueable = false }: Route['spec'],
    session: Session,
  ): Promise<Session> {
    const remote = isQueueable ? await sessions.remote(session.id) : undefined
    if (remote) return remote
    sessions.assertOwned(session.id)
    if (access === 'client')
      return session.state === 'offline' ? sessions.waitUntilConnected(session.id, 0) : session
    if (access !== 'login') return session
    return liveOf(session) ?? assertOpen(await sessions.waitUntilConnected(session.id, RECONNECT_WAIT_MS))
  }

  // An empty header must not match an empty setting, nor a header with bytes above ASCII a different token.
  const isAdmin = (given: Credentials): boolean =>
    !!adminToken && isWritable(given.adminToken) && isSameSecret(given.adminToken, adminToken)

  /** Another process that serves the session may have replaced its token: if this one answers for it, the stored token counts. */
  async function asStored({ spec }: Route, session: Session | undefined): Promise<Session | undefined> {
    const isAnswered = spec.isQueueable === true || spec.access === 'known'
    return session && isAnswered ? sessions.current(session.id) : session
  }

  async function byTokens(
    route: Route,
    given: Credentials,
    onCaller: (id: string) => void,
  ): Promise<Authorized> {
    const { access = 'login', scope = 'owner' } = route.spec
    const { token } = given
    const name = namedBy(route, given)
    if (isForAdmin(route) && !name && isAdmin(given)) return { actor: 'admin' }
    const isForSession = access !== 'admin' && token !== ''
    const found = isForSession ? await sessions.byToken(token) : undefined
    const own = await asStored(route, found)
    // The same object has not been read again since the token found it.
    if (own && (own === found || sessions.hasToken(own.id, token))) {
      const session = access === 'known' ? own : await withLink(route.spec, own)
      return { actor: own.id, session, ended: () => sessions.tokenEnded(token) }
    }
    if (name && isAdmin(given)) {
      const session = await asStored(route, await sessions.named(name))
      if (!session) throw unnamed()
      return { actor: 'admin', session: await withLink(route.spec, session) }
    }
    const caller = await authenticate(given, route)
    if (!caller) throw refusal(access, !name && isAdmin(given))
    onCaller(caller.id)
    const ended = (): AbortSignal | undefined => caller.ended
    if (!caller.scopes.includes(scope))
      throw gatewayError('SCOPE_MISSING', [scope, `${route.method} ${route.path}`])
    if (access === 'known' || access === 'admin') return { actor: caller.id, caller, ended }
    const session = await asStored(route, await sessions.byId(caller.session ?? ''))
    if (!session) throw gatewayError('TOKEN_INVALID')
    return { actor: caller.id, session: await withLink(route.spec, session), caller, ended }
  }

  /** @param onCaller called with the id of a plugin's caller, even if the caller is then refused. */
  return async function authorize(
    route: Route,
    given: Credentials,
    onCaller: (id: string) => void,
  ): Promise<Authorized> {
    if (route.spec.access === 'public') return { actor: '' }
    const found = given.token || given.adminToken ? undefined : await login(given, route)
    if (!found) return byTokens(route, given, onCaller)
    const { token, ended } = found
    const authorized = await byTokens(route, { ...given, token, adminToken: token }, onCaller)
    return {
      ...authorized,
      ended: () => AbortSignal.any([ended, authorized.ended?.()].filter((end) => end !== undefined)),
    }
  }
}

const unnamed = (): Error => gatewayError('SESSION_UNKNOWN', [], { details: 'X-Session names none' })

const isForAdmin = ({ spec: { access = 'login' } }: Route): boolean =>
  access === 'admin' || access === 'owner' || access === 'known'

/** The id or name by which the admin names a session; '' if the route is not for a session. */
function namedBy({ spec: { access = 'login' } }: Route, given: Credentials): string {
  return access === 'admin' || access === 'known' ? '' : given.header('x-session')
}

/** Whether the request accepts an admin token. */
export function takesAdmin(route: Route, given: Credentials): boolean {
  return isForAdmin(route) || namedBy(route, given) !== ''
}

export type Authorize = ReturnType<typeof createAuthorize>

function assertOpen(session: Session): LiveSession {
  const live = liveOf(session)
  if (live) return live
  const { state, reason, failure } = session
  if (failure) throw failure
  const isOver = state === 'logged-out' || state === 'banned'
  if (session.jid && !isOver)
    throw gatewayError('NO_CLIENT', [], { details: `the link is ${state}: ${reason || 'reconnecting'}` })
  throw gatewayError('NOT_LOGGED_IN', [], reason ? { details: reason } : {})
}

function refusal(access: Access, isAdmin: boolean): Error {
  if (access === 'admin') return gatewayError('ADMIN_INVALID')
  const details = 'with the admin token, name a session in the header X-Session'
  return gatewayError('TOKEN_INVALID', [], isAdmin ? { details } : {})
}
