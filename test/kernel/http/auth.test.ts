import { expect } from 'chai'
import { gatewayError } from '../../../kernel/errors.ts'
import { createAuthorize } from '../../../kernel/http/auth.ts'
import type { Access, Session, SessionState } from '../../../kernel/plugin.ts'
import type { SessionManager } from '../../../kernel/sessions/manager.ts'

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
    }: { now?: Session; later?: Session; adminToken?: string } = {},
  ): Promise<unknown> => {
    const sessions = {
      byToken: async (token: string) => (token === 'right' ? now : undefined),
      assertOwned: () => undefined,
      waitUntilConnected: async () => later,
    } as unknown as SessionManager
    return createAuthorize({ adminToken, sessions })(access, { token: '', adminToken: '', ...given }).then(
      (found) => found?.state ?? 'no session',
      (error: { code: string; details?: string }) =>
        error.details ? `${error.code}: ${error.details}` : error.code,
    )
  }
  const right = { token: 'right' }

  it('public requires nothing', async () => {
    expect(await outcome('public', {})).to.equal('no session')
  })

  it('admin requires the configured token, and nothing fits where none is configured', async () => {
    expect(await outcome('admin', { adminToken: 'a' }, { adminToken: 'a' })).to.equal('no session')
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
})
