import type { GatewayServices, Session, SessionState, Sessions } from 'wamux/plugin'
import type { History } from './history.ts'
import { nextStep } from './next.ts'
import { isLost, stateView } from './state-view.ts'

interface Deps {
  sessions: Sessions
  history: History
  pace?: GatewayServices['pace'] | undefined
}

/** The requests that end a state; other states end otherwise. */
const REQUESTS: Readonly<Partial<Record<SessionState, string>>> = {
  'logged-out': 'POST /session/connect',
  replaced: 'POST /session/connect',
  failed: 'POST /session/connect',
  passkey: 'POST /session/passkey',
  'passkey-confirm': 'POST /session/passkey/confirm',
}
/** States that end on the page for linking. */
const LINKING: ReadonlySet<SessionState> = new Set(['logged-out', 'passkey', 'passkey-confirm'])
/** WhatsApp refuses the client itself. */
const REFUSED_CLIENTS: ReadonlySet<string> = new Set(['outdated', 'bad-user-agent'])
/** A session that has been reconnecting for longer does not come back by itself. */
const WAITING_MS = 10 * 60_000

/** Sessions that are not connected and stay so, that are slow, or that may start no new chats. */
export function issuesOf(deps: Deps) {
  return {
    async list() {
      const own = deps.sessions.served()
      return own.flatMap((session) => [
        ...stateIssue(session, deps),
        ...slowIssue(session),
        ...restrictionIssue(session, deps),
      ])
    },
  }
}

function stateIssue(session: Session, { history }: Deps) {
  const { id, state } = session
  const { Reason, Next, Since } = stateView(session, history)
  const since = Date.parse(Since)
  // Another attempt has no reason yet: the reason of the last one stays.
  const last = state === 'connecting' ? history.newest(id) : undefined
  const cause = causeOf(session, Date.now() - since)
  if (!cause) return []
  const common = {
    cause,
    level: 'error' as const,
    subject: '',
    session: id,
    reason: last?.reason ?? Reason,
    remedy: last ? nextStep('waiting', last.cause, true) : Next,
    since,
  }
  // It is the gateway that must be updated.
  if (cause === 'session-outdated') return [{ ...common, screen: '/health', screenOfMany: '/health' }]
  const request = REQUESTS[state]
  return [
    {
      ...common,
      ...(request ? { request } : {}),
      screen: LINKING.has(state) ? `/link/${encodeURIComponent(id)}` : screenOf(session),
      screenOfMany: `/?state=${state}`,
    },
  ]
}

/** Undefined while nobody needs to act. */
function causeOf(session: Session, ms: number): string | undefined {
  const { state, cause = '', jid } = session
  if (state === 'failed' && REFUSED_CLIENTS.has(cause)) return 'session-outdated'
  if (isLost(session) || state === 'passkey' || state === 'passkey-confirm') return `session-${state}`
  if (state === 'waiting' && cause === 'temporary-ban') return 'session-temporary-ban'
  const isReconnecting = state === 'waiting' || (state === 'connecting' && jid !== '')
  return isReconnecting && ms > WAITING_MS ? 'session-waiting' : undefined
}

function slowIssue({ id, isSlow, reason }: Session) {
  if (!isSlow) return []
  return [
    {
      cause: 'session-slow',
      level: 'warning' as const,
      subject: '',
      session: id,
      reason,
      remedy:
        'Check the database and the disk: they store more slowly than WhatsApp delivers. What waits is not lost.',
      screen: '/health',
      screenOfMany: '/health',
      since: 0,
    },
  ]
}

function restrictionIssue(session: Session, { pace }: Deps) {
  const until = pace?.restrictedUntil(session.id) ?? 0
  if (until <= Date.now()) return []
  return [
    {
      cause: 'session-restricted',
      level: 'warning' as const,
      subject: '',
      session: session.id,
      reason: `WhatsApp lets it start no new chats until ${new Date(until).toISOString()}`,
      remedy: 'Write only to people who expect it; the restriction ends automatically.',
      screen: screenOf(session),
      screenOfMany: '/',
      since: pace?.restrictedSince?.(session.id) ?? 0,
    },
  ]
}

const screenOf = ({ id }: Session): string => `/sessions/${encodeURIComponent(id)}`
