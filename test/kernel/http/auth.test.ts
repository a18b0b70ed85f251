import { expect } from 'chai'
import { gatewayError } from '../../../kernel/errors.ts'
import { createAuthorize } from '../../../kernel/http/auth.ts'
import type { Access, Caller, Credentials, Route, Session, SessionState } from '../../../kernel/plugin.ts'

describe('access', () => {
  const session = (state: SessionState, more: Partial<Session> = {}): Session =>
    ({
      id: 's',
      jid: 'j',
      state,
      reason: '',
      failure: undefined,
      socket: state === 'open' ? {} : undefined,
      ...more,
    }) as Session

  /** Of a registry that has one session, and what it is once a wait for its link is over. */
  const outcome = async (
    access: Access,
    given: { token?: string; adminToken?: string },
    {
      now = session('open'),
      later = now,
      adminToken,
      caller,
    }: { now?: Session; later?: Session; adminToken?: string; caller?: Caller } = {},
  ): Promise<unknown> => {
    const sessions = {
      byToken: async (token: string) => (token === 'right' ? now : undefined),
      byId: async (id: string) => (id === 's' ? now : undefined),
      current: async () => now,
      hasToken: () => true,
      named: async (name: string) => [now].find((one) => name === 's' || one?.name === name),
      assertOwned: () => undefined,
      remote: async () => undefined,
      waitUntilConnected: async () => later,
      tokenEnded: () => new AbortController().signal,
    }
    const authenticate = async ({ token }: Credentials) => (caller && token === 'key' ? caller : undefined)
    const login = async (): Promise<undefined> => undefined
    const credentials = { token: '', adminToken: '', header: () => '', ...given }
    const handle = async (): Promise<unknown> => undefined
    const route: Route = { method: 'GET', path: '/x', spec: { summary: 'x', access, scope: 'read', handle } }
    return createAuthorize({ adminToken, sessions, authenticate, login })(
      route,
      credentials,
      () => undefined,
    ).then(
      ({ session, actor }) => session?.state ?? (actor || 'nobody'),
      (error: { code: string; details?: string }) =>
        error.details ? `${error.code}: ${error.details}` : error.code,
    )
  }
  const right = { token: 'right' }

  it('public requires nothing', async () => {
    expect(await outcome('public', {})).to.equal('nobody')
  })

  it('admin requires the configured token, and nothing fits where none is configured', async () => {
    expect(await outcome('admin', { adminToken: 'a' }, { adminToken: 'a' })).to.equal('admin')
    expect(await outcome('admin', { adminToken: 'b' }, { adminToken: 'a' })).to.equal('ADMIN_INVALID')
    expect(await outcome('admin', {}, { adminToken: 'a' })).to.equal('ADMIN_INVALID')
    expect(await outcome('admin', {}, { adminToken: '' })).to.equal('ADMIN_INVALID')
    expect(await outcome('admin', {})).to.equal('ADMIN_INVALID')
  })

  it('token requires a known token, whatever the link is', async () => {
    for (const access of ['token', 'client', 'login'] as const) {
      expect(await outcome(access, {})).to.equal('TOKEN_INVALID')
      expect(await outcome(access, { token: 'wrong' })).to.equal('TOKEN_INVALID')
    }
    expect(await outcome('token', right, { now: session('offline') })).to.equal('offline')
  })

  it('client takes any client in memory, and restores one that is not', async () => {
    expect(await outcome('client', right, { now: session('waiting') })).to.equal('waiting')
    const offline = session('offline')
    expect(await outcome('client', right, { now: offline, later: session('connecting') })).to.equal(
      'connecting',
    )
  })

  it('login waits for a link that is reconnecting', async () => {
    expect(await outcome('login', right)).to.equal('open')
    expect(await outcome('login', right, { now: session('waiting'), later: session('open') })).to.equal(
      'open',
    )
  })

  it('login says why there is no open link', async () => {
    const later = (state: SessionState, more: Partial<Session> = {}) =>
      outcome('login', right, { now: session('waiting'), later: session(state, more) })
    expect(await later('waiting', { reason: 'reset' })).to.equal('NO_CLIENT: the link is waiting: reset')
    expect(await later('connecting')).to.equal('NO_CLIENT: the link is connecting: reconnecting')
    expect(await later('open', { socket: undefined })).to.equal('NO_CLIENT: the link is open: reconnecting')
    expect(await later('scan', { jid: '' })).to.equal('NOT_LOGGED_IN')
    expect(await later('logged-out', { reason: 'removed' })).to.equal('NOT_LOGGED_IN: removed')
    expect(await later('banned')).to.equal('NOT_LOGGED_IN')
    const failure = gatewayError('STORAGE_UNAVAILABLE')
    expect(await later('waiting', { failure })).to.equal('STORAGE_UNAVAILABLE')
  })

  it('owner takes the admin token or a session token', async () => {
    expect(await outcome('owner', { adminToken: 'a' }, { adminToken: 'a' })).to.equal('admin')
    expect(await outcome('owner', { ...right, adminToken: 'b' }, { adminToken: 'a' })).to.equal('open')
    expect(await outcome('owner', {}, { adminToken: 'a' })).to.equal('TOKEN_INVALID')
  })

  it('a caller that a plugin knows needs the scope of the route, and the session that it is for', async () => {
    const caller: Caller = { id: 'key:1', session: 's', scopes: ['read'] }
    const key = { token: 'key' }
    expect(await outcome('token', key)).to.equal('TOKEN_INVALID')
    expect(await outcome('token', key, { caller })).to.equal('open')
    expect(await outcome('token', key, { caller: { ...caller, scopes: ['send'] } })).to.equal('SCOPE_MISSING')
    expect(await outcome('token', key, { caller: { ...caller, session: 'gone' } })).to.equal('TOKEN_INVALID')
    expect(await outcome('admin', key, { caller })).to.equal('key:1')
  })
})
