import { type RouteBuilder, T } from 'wamux/plugin'
import { type History, KEPT, type RecordedChange } from './history.ts'

const StateChange = T.Object({
  At: T.String({ description: 'RFC 3339' }),
  From: T.String(),
  To: T.String(),
  Cause: T.String({
    description:
      'How the link ended: `restart`, `logged-out`, `replaced`, `qr-ended`, `banned`, `temporary-ban`, `rate-limited`, `outdated`, `bad-user-agent`, `unknown-client`, `lost`, `unavailable`, `storage`, `untrusted` or `stopped`; empty for any other change',
  }),
  Reason: T.String({ description: 'In words; empty without one' }),
})

export const historyRoutes = <D extends { history: History }>(r: RouteBuilder<D>) => [
  r.get('/session/history', {
    summary: `Read the last ${KEPT} changes of the session's state`,
    description:
      'Newest first. Reconnect attempts are not listed: after `waiting` follows the state at their end.',
    access: 'token',
    response: T.Object({ Changes: T.Array(StateChange) }),
    handle: async ({ session }, { history }) => ({
      Changes: (await history.read(session.id)).map(toChange),
    }),
  }),
]

function toChange({ at, from, to, cause, reason }: RecordedChange) {
  return { At: new Date(at).toISOString(), From: from, To: to, Cause: cause, Reason: reason }
}
