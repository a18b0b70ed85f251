import { Subscribe, subscribeNotice } from 'wamux/messaging'
import {
  gatewayError,
  type Kernel,
  type RouteBuilder,
  type RouteRequest,
  type Session,
  T,
} from 'wamux/plugin'
import type { History } from './history.ts'
import { Labels, NewRow, type Row, RowWithState, type Static } from './schemas.ts'
import { stateView } from './state-view.ts'

/** Minimum length of a strong token; required with `allowWeakTokens: false`. */
const SAFE_LENGTH = 16
const SHORT_TOKEN = `the session token has fewer than ${SAFE_LENGTH} characters and can be guessed`

/** Creating and listing sessions. */
export const adminRoutes = <D extends Kernel<unknown> & { history: History }>(r: RouteBuilder<D>) => [
  r.post('/session/init', {
    ignoresUnknown: true,
    leaves: [],
    summary: 'Create a session',
    description:
      'The answer has the token of the session, a random one when `Token` is absent. Continue with `POST /session/connect`.',
    example: { Name: 'Shop', Subscribe: ['Message', 'ReadReceipt'] },
    // If no environment sets `token`, all requests use the new session.
    chain: { saves: { newToken: 'Token', newSession: 'Id', token: 'Token' } },
    access: 'admin',
    audit: 'session.init',
    body: T.Object({
      Name: T.Optional(T.String({ format: 'name', description: 'Name of the session' })),
      Token: T.Optional(
        T.String({
          format: 'token',
          description:
            'Session token, which should have at least 16 characters; spaces are removed; random when absent',
        }),
      ),
      Os: T.Optional(
        T.String({
          maxLength: 50,
          description: "Name in the phone's list of linked devices; as a browser on Linux if absent",
        }),
      ),
      Labels: T.Optional(Labels),
      Webhook: T.Optional(T.String({ format: 'link', description: 'URL that events are delivered to' })),
      Subscribe,
    }),
    response: T.Object({ ...NewRow.properties, ...subscribeNotice }),
    async handle({ body, caller }, { sessions, events, log }) {
      // Forms contain the token, and the operator may have configured webhooks as forms.
      const own = ['Token', 'Webhook'].find((name) => caller && body[name as 'Token' | 'Webhook'])
      if (own) throw gatewayError('TOKEN_HIDDEN', [`leave ${own} out`])
      const { Name: name = '', Token: token = '', Os: os = '', Webhook: webhook = '' } = body
      const { classes: subscribe, notice } = events.subscription(body.Subscribe ?? [])
      const labels = body.Labels ?? {}
      const session = await sessions.create({ name, token, os, labels, webhook, subscribe })
      const answer = { ...toRow(session, caller), ...notice }
      if (session.token.length >= SAFE_LENGTH) return answer
      log.warn({ session: session.id }, SHORT_TOKEN)
      return { ...answer, Warning: SHORT_TOKEN }
    },
  }),
  r.get('/session/all', {
    ignoresUnknown: true,
    query: ['label'],
    summary: 'List all sessions',
    description:
      'With state, webhook and JID of each. `?label=customer:acme` lists only the sessions with that label, `?label=customer` those with any value of it; several must all fit.',
    access: 'admin',
    audit: 'session.list',
    response: T.Array(RowWithState),
    handle: async ({ query, caller }, { sessions, history }) =>
      (await sessions.list())
        .filter(({ labels }) => query.getAll('label').every((label) => hasLabel(labels, label)))
        .map((one) => toRowWithState(one, history, caller)),
  }),
  r.post('/session/scanned', {
    ignoresUnknown: true,
    leaves: [],
    summary: 'List the linked sessions',
    description: 'Like `GET /session/all`, without sessions that have never been linked.',
    access: 'admin',
    audit: 'session.list',
    response: T.Array(RowWithState),
    handle: async ({ caller }, { sessions, history }) =>
      (await sessions.list()).filter(({ jid }) => jid).map((one) => toRowWithState(one, history, caller)),
  }),
]

/** Ends a session for good. */
export const deleteRoutes = <D extends Kernel<unknown>>(r: RouteBuilder<D>) => [
  r.post('/session/delete', {
    ignoresUnknown: true,
    leaves: [],
    isDestructive: true,
    summary: 'Delete a session and all its data',
    access: 'admin',
    audit: 'session.delete',
    description:
      'Name the session by the header `token`, by `Token` in the body or the query, or by `Id` in the body. Its device is unlinked, for which a disconnected session is connected. If the network does not allow that within seconds, the session is deleted anyway, and `Warning` says so.',
    example: { Token: '0f8fad5bd9cb469fa16570867728950e' },
    chain: { uses: { Token: 'newToken' }, isLast: true },
    body: T.Object({
      Token: T.Optional(T.String({ format: 'token', description: 'The session to delete' })),
      Id: T.Optional(
        T.String({ maxLength: 256, format: 'id', description: 'Its id, for callers that see no tokens' }),
      ),
    }),
    response: T.Object({
      Id: T.String(),
      Name: T.String(),
      JID: T.String(),
      Details: T.String(),
      Unlinked: T.Optional(
        T.Boolean({
          description: 'Whether its device was unlinked on the phone; absent if none was linked',
        }),
      ),
      Warning: T.Optional(T.String({ description: 'Why the device was not unlinked' })),
    }),
    async handle({ body, header, query }, { sessions }) {
      const token = header('token') || body.Token || query.get('token')
      if (!token && !body.Id) throw gatewayError('FIELD_MISSING', ['Token'])
      const found = token ? await sessions.byToken(token) : await sessions.byId(body.Id ?? '')
      if (!found) throw gatewayError('SESSION_UNKNOWN')
      const { id, name, jid, unlinkFault } = await sessions.remove(found.id)
      const deleted = { Id: id, Name: name, JID: jid, Details: 'User deleted successfully' }
      if (unlinkFault === undefined) return deleted
      return {
        ...deleted,
        Unlinked: unlinkFault === '',
        ...(unlinkFault ? { Warning: stillLinked(unlinkFault) } : {}),
      }
    },
  }),
]

function stillLinked(why: string): string {
  return `The device could not be unlinked: ${why}; remove it on the phone, in the list of linked devices`
}

type Caller = RouteRequest<undefined, 'admin'>['caller']

/** A key receives no token: things created with a token would outlive the key. */
function toRow(session: Session, caller: Caller): Static<typeof Row> {
  const token = caller ? '' : session.token
  const { id, name, os, labels, webhook, subscribe, jid } = session
  const Labels = { ...labels }
  return { Id: id, Name: name, Token: token, Os: os, webhook, subscribe: [...subscribe], Labels, JID: jid }
}

/** @param label `name:value`, or a name alone for any value. */
function hasLabel(labels: Session['labels'], label: string): boolean {
  const [name = '', ...value] = label.split(':')
  return Object.hasOwn(labels, name) && (value.length === 0 || labels[name] === value.join(':'))
}

function toRowWithState(session: Session, history: History, caller: Caller): Static<typeof RowWithState> {
  const { connected, loggedIn } = session
  return {
    ...toRow(session, caller),
    Connected: connected,
    LoggedIn: loggedIn,
    ...stateView(session, history),
  }
}
