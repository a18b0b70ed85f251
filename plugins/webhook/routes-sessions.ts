import { digits } from 'wamux/messaging'
import { pageOf, type RouteBuilder, type Session, T } from 'wamux/plugin'
import { EndpointView } from './endpoint-view.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import type { DeliveryDeps } from './routes-deliveries.ts'

const { Id, URL, Subscribe, Format, State, Reason, FailingSince } = EndpointView.properties
const MAX_LIMIT = 1_000

const SessionWebhook = T.Object(
  {
    ...{ Id, URL, Subscribe, Format, State, Reason, FailingSince },
    Session: T.String({ description: 'Id of its session' }),
    Name: T.String({ description: 'Name of its session' }),
    Pending: T.Integer({ description: 'Number of pending deliveries' }),
    Dead: T.Integer({ description: 'Number of dead letters' }),
  },
  { title: 'SessionWebhook' },
)

interface Owned {
  readonly session: Session
  readonly endpoint: Endpoint
}

/** The webhooks of many sessions. */
export const sessionRoutes = <D extends DeliveryDeps>(r: RouteBuilder<D>) => [
  r.get('/webhook/sessions', {
    isSensitive: true,
    summary: 'List the webhooks of the sessions, failing ones first',
    description:
      'The webhooks of all sessions that the credentials may see; `GET /webhook/global` lists the webhooks for the events of all sessions. Order: disabled, gone and failing ones, then paused ones, then the others by the name of the session. Pass `Next` as `After` to get the next page; a webhook whose state changes meanwhile may move to another page.',
    access: 'known',
    body: T.Object({
      After: digits('`Next` of the previous page'),
      Limit: digits(`Page size, at most ${MAX_LIMIT}; 100 when absent`),
    }),
    response: T.Object({
      Webhooks: T.Array(SessionWebhook),
      Next: T.Integer(),
      Total: T.Integer({ description: 'Number of webhooks on all pages' }),
      Failing: T.Integer({ description: 'How many of them are disabled, gone or failing' }),
    }),
    async handle({ body, viewer }, { endpoints, health, sessions }) {
      const { After = '0', Limit = '100' } = body
      const seen = (await sessions.list()).filter(viewer.seesSession)
      const all = seen
        .flatMap((session) => endpoints.of(session).map((endpoint) => ({ session, endpoint })))
        .filter(({ endpoint }) => endpoint.url)
        .sort(inOrder)
      const from = Number(After)
      const page = all.slice(from, from + Math.min(MAX_LIMIT, Number(Limit)))
      const counts = await health.counts(page.map(({ endpoint }) => endpoint.id))
      const { items } = pageOf(page, ({ session, endpoint }) => ({
        Id: endpoint.isMain ? 'main' : endpoint.id,
        URL: endpoint.url,
        Subscribe: [...endpoint.subscribe],
        Format: endpoint.format,
        State: endpoint.state,
        Reason: endpoint.reason,
        FailingSince: endpoint.failingSince ? new Date(endpoint.failingSince).toISOString() : '',
        Session: session.id,
        Name: session.name,
        Pending: counts.get(endpoint.id)?.pending ?? 0,
        Dead: counts.get(endpoint.id)?.dead ?? 0,
      }))
      return {
        Webhooks: items,
        Next: from + items.length,
        Total: all.length,
        Failing: all.filter(({ endpoint }) => rankOf(endpoint) === FAILING).length,
      }
    },
  }),
]

const FAILING = 0

function rankOf({ state, failingSince }: Endpoint): number {
  if (state === 'paused') return 1
  return state !== 'active' || failingSince > 0 ? FAILING : 2
}

function inOrder(a: Owned, b: Owned): number {
  return (
    rankOf(a.endpoint) - rankOf(b.endpoint) ||
    compare(a.session.name, b.session.name) ||
    compare(a.session.id, b.session.id) ||
    compare(a.endpoint.id, b.endpoint.id)
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
