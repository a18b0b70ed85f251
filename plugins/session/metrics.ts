import type { Kernel, Metric, Session, SessionState } from 'wamux/plugin'
import type { History } from './history.ts'
import { NEXT } from './next.ts'

type Deps = Pick<Kernel<unknown>, 'sessions'> & { history: History }

const STATES = Object.keys(NEXT).filter((place): place is SessionState => !place.includes(' '))

/** Sessions are named by their id, never by a number. */
export const metrics = ({ history, sessions }: Deps) =>
  ({
    wamux_sessions: {
      type: 'gauge',
      help: 'Sessions by state',
      async collect() {
        const all = await sessions.list()
        return STATES.map((state) => ({
          labels: { state },
          value: all.filter((session) => session.state === state).length,
        }))
      },
    },
    wamux_session_last_stanza_age_seconds: {
      type: 'gauge',
      help: 'Seconds since something was last received, of sessions that are meant to be connected',
      async collect() {
        const now = Date.now()
        const expected = (await sessions.list()).filter(isMeantToBeUp)
        return expected.map(({ id, lastStanzaAt }) => ({
          labels: { session: id },
          value: (now - lastStanzaAt) / 1000,
        }))
      },
    },
    wamux_session_ends_total: {
      type: 'counter',
      help: 'Links that ended, by cause',
      collect: () => [...history.ended].map(([cause, value]) => ({ labels: { cause }, value })),
    },
  }) satisfies Record<string, Metric>

function isMeantToBeUp({ state, lastStanzaAt, jid }: Session): boolean {
  return lastStanzaAt > 0 && jid !== '' && (state === 'open' || state === 'connecting' || state === 'waiting')
}
