import { Subscribe, subscribeNotice } from 'wamux/messaging'
import { gatewayError, type Kernel, type RouteBuilder, type Session, T } from 'wamux/plugin'
import type { History } from './history.ts'
import { Labels, NewRow, type Row, RowWithState, type Static } from './schemas.ts'
import { stateView } from './state-view.ts'

/** Minimum length of a strong token; required with `allowWeakTokens: false`. */
const SAFE_LENGTH = 16
const SHORT_TOKEN = `the session token has fewer than ${SAFE_LENGTH} characters and can be guessed`

/** Creating, listing and deleting sessions. */
export const adminRoutes = <D extends Kernel<unknown> & { history: History }>(r: RouteBuilder<D>) => [
  r.post('/session/init', {
    summary: 'Create a session',
    description:
      'The answer has the token of the session, a random one when `Token` is absent. Continue with `POST /session/connect`.',
    example: { Name: 'Shop', Subscribe: ['Message', 'ReadReceipt'] },
    access: 'admin',
    audit: 'session.init',
    body: T.Object({
      Name: T.Optional(T.String({ description: 'Name of the session' })),
      Token: T.Optional(
        T.String({
          description:
            'Session token, which should have at least 16 characters; spaces are removed; random when absent',
        }),
      ),
      Os: T.Optional(T.String({ maxLength: 50, description: "Name in the phone's list of linked devices" })),
      Labels: T.Optional(Labels),
      Webhook: T.Optional(T.String({ description: 'URL that events are delivered to' })),
      Subscribe,
    }),
    response: T.Object({ ...NewRow.properties, ...subscribeNotice }),
    async handle({ body }, { sessions, events, log }) {
      const { Name: name = '', Token: token = '', Os: os = '', Webhook: webhook = '' } = body
      const { classes: subscribe, notice } = events.subscription(body.Subscribe ?? [])
      const labels = body.Labels ?? {}
      const session = await sessions.create({ name, token, os, labels, webhook, subscribe })
      const answer = { ...toRow(session), ...notice }
      if (session.token.length >= SAFE_LENGTH) return answer
      log.warn({ session: session.id }, SHORT_TOKEN)
      return { ...answer, Warning: SHORT_TOKEN }
    },
  }),
  r.get('/session/all', {
    summary: 'List all sessions',
    description:
      'With state, webhook and JID of each. `?label=customer:acme` lists only the sessions with that label, `?label=customer` those with any value of it; several must all fit.',
    access: 'admin',
    audit: 'session.list',
    response: T.Array(RowWithState),
    handle: async ({ query }, { sessions, history }) =>
      (await sessions.list())
        .filter(({ labels }) => query.getAll('label').every((label) => hasLabel(labels, label)))
        .map((one) => toRowWithState(one, history)),
  }),
  r.post('/session/scanned', {
    summary: 'List the sessions that are linked',
    description: 'As `GET /session/all`, without the sessions that have never been linked.',
    access: 'admin',
    audit: 'session.list',
    response: T.Array(RowWithState),
    handle: async (_, { sessions, history }) =>
      (await sessions.list()).filter(({ jid }) => jid).map((one) => toRowWithState(one, history)),
  }),
  r.post('/session/delete', {
    summary: 'Delete a session and all its data',
    access: 'admin',
    audit: 'session.delete',
    description: 'The session is named by the header `token`, or by `Token` in the body or the query.',
    body: T.Object({ Token: T.Optional(T.String({ description: 'The session to delete' })) }),
    response: T.Object({ Id: T.String(), Name: T.String(), JID: T.String(), Details: T.String() }),
    async handle({ body, header, query }, { sessions }) {
      const token = header('token') || body.Token || query.get('token')
      if (!token) throw gatewayError('FIELD_MISSING', ['Token'])
      const found = await sessions.byToken(token)
      if (!found) throw gatewayError('SESSION_UNKNOWN')
      const { id, name, jid } = await sessions.remove(found.id)
      return { Id: id, Name: name, JID: jid, Details: 'User deleted successfully' }
    },
  }),
]

function toRow(session: Session): Static<typeof Row> {
  const { id, name, token, os, labels, webhook, subscribe, jid } = session
  const Labels = { ...labels }
  return { Id: id, Name: name, Token: token, Os: os, webhook, subscribe: [...subscribe], Labels, JID: jid }
}

/** @param label `name:value`, or a name alone for any value. */
function hasLabel(labels: Session['labels'], label: string): boolean {
  const [name = '', ...value] = label.split(':')
  return Object.hasOwn(labels, name) && (value.length === 0 || labels[name] === value.join(':'))
}

function toRowWithState(session: Session, history: History): Static<typeof RowWithState> {
  const { connected, loggedIn } = session
  return { ...toRow(session), Connected: connected, LoggedIn: loggedIn, ...stateView(session, history) }
}
