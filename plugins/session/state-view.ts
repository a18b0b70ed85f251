import { type Session, type SessionState, type Static, T } from 'wamux/plugin'
import type { History } from './history.ts'
import { nextStep } from './next.ts'

/** Fields of an answer that explain why a session is or is not connected. */
export const stateFields = {
  State: T.String({
    description:
      'offline, connecting, scan, code, passkey, passkey-confirm, open, waiting, logged-out, replaced, banned or failed; in lists of several nodes `unknown` for a session whose node does not answer',
  }),
  Reason: T.String({ description: 'Why, in words' }),
  Slow: T.Boolean({
    description:
      'Connected, but received messages wait long to be stored; above a limit the link is no longer read',
  }),
  BanCode: T.String({
    description:
      "WhatsApp's code of a temporary ban: 101 messages to too many strangers, 102 blocked by many, 103 groups, 104 the same text to many, 106 broadcast lists; empty without one",
  }),
  Until: T.String({
    description:
      'No login before this time, RFC 3339: the end of a temporary ban or of a limit; empty without one',
  }),
  Next: T.String({ description: 'The next step; empty if there is none' }),
  LastStanza: T.String({
    description: 'When something was last received, RFC 3339; empty before the first time since the start',
  }),
  Since: T.String({
    description: 'Begin of the state, RFC 3339; reconnect attempts in between do not count',
  }),
}

const StateView = T.Object(stateFields, { title: 'SessionState' })

export function stateView(session: Session, history: History): Static<typeof StateView> {
  const { id, state, jid, createdAt, lastStanzaAt } = session
  const last = history.newest(id)
  // A session without a client is offline for the reason why the client was stopped.
  const ended = state === 'offline' && last?.to === 'offline' ? last : undefined
  const isCurrent = last && (last.to === state || state === 'connecting')
  // After a crash, the last stored change does not show how it ended.
  const since = isCurrent ? last.at : Math.max(last ? history.startedAt : 0, Date.parse(createdAt))
  return {
    State: state,
    Reason: session.reason || (ended?.reason ?? ''),
    Slow: session.isSlow,
    BanCode: session.cause === 'temporary-ban' ? session.code : '',
    Until: session.until > 0 ? new Date(session.until).toISOString() : '',
    Next: nextStep(state, session.isSlow ? 'slow' : (session.cause ?? ''), jid !== ''),
    LastStanza: lastStanzaAt > 0 ? new Date(lastStanzaAt).toISOString() : '',
    Since: new Date(since).toISOString(),
  }
}

const ENDED: readonly SessionState[] = ['logged-out', 'replaced', 'banned', 'failed']

/** Whether it stays unconnected until somebody acts, although nobody asked for that. */
export function isLost({ state, cause, isOnRequest }: Session): boolean {
  return ENDED.includes(state) && !isOnRequest && cause !== 'qr-ended'
}
