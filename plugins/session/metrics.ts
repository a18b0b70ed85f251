import type { Kernel, Metric, Session, SessionState } from 'wamux/plugin'
import type { History } from './history.ts'
import { NEXT } from './next.ts'
import { isLost } from './state-view.ts'

type Deps = Pick<Kernel<unknown>, 'sessions'> & { history: History }

const STATES = Object.keys(NEXT).filter((place): place is SessionState => !place.includes(' '))

/**
 * Sessions are named by their id, which keeps a series the same, and by the owner's name for them, never by a phone number.
 * Each has one name at a time: a rename ends the series of the previous name.
 */
const labelsOf = ({ id, name }: Session) => ({ session: id, name })

/** Each process shows the sessions that it serves. */
export const metrics = ({ history, sessions }: Deps) => {
  return {
    wamux_sessions: {
      type: 'gauge',
      help: 'Sessions that this process serves, by state',
      collect() {
        const all = sessions.served()
        return STATES.map((state) => ({
          labels: { state },
          value: all.filter((session) => session.state === state).length,
        }))
      },
    },
    wamux_session_last_stanza_age_seconds: {
      type: 'gauge',
      help: 'Seconds since something was last received, for sessions that should be connected',
      collect() {
        const now = Date.now()
        const expected = sessions.served().filter(isMeantToBeUp)
        return expected.map((session) => ({
          labels: labelsOf(session),
          value: (now - session.lastStanzaAt) / 1000,
        }))
      },
    },
    wamux_session_ended: {
      type: 'gauge',
      help: 'Sessions that stay unconnected until somebody acts: logged out, replaced, banned or failed; always 1. Excludes sessions that were logged out on request or whose QR code nobody scanned',
      collect() {
        const ended = sessions.served().filter(isLost)
        return ended.map((session) => ({
          labels: { ...labelsOf(session), state: session.state, cause: session.cause ?? '' },
          value: 1,
        }))
      },
    },
    wamux_session_ends_total: {
      type: 'counter',
      help: 'Links that ended, by cause',
      collect: () => [...history.ended].map(([cause, value]) => ({ labels: { cause }, value })),
    },
  } satisfies Record<string, Metric>
}

function isMeantToBeUp({ state, lastStanzaAt, jid }: Session): boolean {
  return lastStanzaAt > 0 && jid !== '' && (state === 'open' || state === 'connecting' || state === 'waiting')
}
