import { gatewayError, type RouteBuilder, type Static, T } from 'wamux/plugin'
import { type FailureGroup, type Failures, MAX_ATTEMPTS, MAX_GROUPS, PARTS } from './delivery/failures.ts'
import type { DeliveryDeps } from './routes-deliveries.ts'
import { Time } from './time-range.ts'

type Deps = DeliveryDeps & { failures: Failures }

/** Webhooks that one group names; `Count` has their number. */
const MAX_NAMED = 200
const DAY_MS = 24 * 3_600_000

const FailureView = T.Object(
  {
    URL: T.String({ description: 'Address of the receiver' }),
    Error: T.String({ description: 'Why, for example `status 401` or `ECONNREFUSED`' }),
    Attempts: T.Integer({ description: 'Failed attempts' }),
    Events: T.Integer({ description: 'Events that these attempts were to deliver' }),
    Undelivered: T.Integer({
      description: 'How many of them still wait for a retry or are dead letters: what a replay delivers',
    }),
    First: T.String({ description: 'Time of the first, RFC 3339' }),
    Last: T.String({ description: 'Time of the last, RFC 3339' }),
    Counts: T.Array(T.Integer(), {
      description: `Failed attempts in each of ${PARTS} equal parts of the range, the oldest first`,
    }),
    Webhooks: T.Array(
      T.Object({
        Endpoint: T.String({ description: '`main` for the webhook of POST /webhook' }),
        Session: T.String({ description: 'Id of its session; empty for a webhook of all sessions' }),
        Name: T.String({ description: 'Name of its session' }),
        Undelivered: T.Integer(),
      }),
      { description: `The webhooks with this address, at most ${MAX_NAMED}` },
    ),
    Count: T.Integer({ description: 'Number of these webhooks' }),
    Examples: T.Array(T.Object({ Id: T.String(), Type: T.String(), Session: T.String(), At: T.String() }), {
      description: 'The newest events, at most 3',
    }),
  },
  { title: 'WebhookFailures' },
)

/** What failed, over all webhooks that the credentials may see. */
export const failureRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/webhook/failures', {
    isSensitive: true,
    summary: 'Group the failed deliveries of a time by receiver and error',
    description: `The administrator sees all webhooks, a key the webhooks of its sessions, and a token its own. The last 24 hours when \`Since\` is absent. One call counts the newest ${MAX_ATTEMPTS.toLocaleString('en')} failed attempts of the range and lists at most ${MAX_GROUPS} groups; \`Complete\` says whether that was all. To deliver a group again, send its \`Error\` and the range to \`POST /webhook/replay\` for each of its webhooks, or to \`POST /webhook/global/replay\`.`,
    access: 'known',
    body: T.Object({
      Since: Time('Start of the range'),
      Until: Time('End of the range; now when absent'),
      Session: T.Optional(
        T.String({
          minLength: 1,
          format: 'id',
          description: 'Id of a session: only its own webhooks. All that the credentials may see when absent',
        }),
      ),
    }),
    response: T.Object({
      Since: T.String({ description: 'Start of what was counted' }),
      Until: T.String(),
      Complete: T.Boolean(),
      Failures: T.Array(FailureView, { description: 'The most attempts first' }),
    }),
    async handle({ body, viewer, caller, session }, { endpoints, failures, sessions }) {
      const until = body.Until ? Date.parse(body.Until) : Date.now()
      const since = body.Since ? Date.parse(body.Since) : until - DAY_MS
      if (since > until) throw gatewayError('FIELD_INVALID', ['Since', 'it is after Until'])
      const all = await sessions.list()
      const seen = new Map(all.filter(viewer.seesSession).map(({ id, name }) => [id, name]))
      const isOfAll = caller === undefined && session === undefined
      const isOperator = caller ? caller.scopes.includes('admin') : isOfAll
      const { Session } = body
      if (Session && !seen.has(Session)) throw gatewayError('ITEM_UNKNOWN', ['Session'])
      const isVisible = (id: string): boolean =>
        Session ? id === Session : id === '' ? isOperator : seen.has(id)
      const visible = endpoints.all().filter((one) => isVisible(one.session))
      const list = await failures.list(visible, isOfAll && !Session, { since, until })
      return {
        Since: new Date(list.since).toISOString(),
        Until: new Date(until).toISOString(),
        Complete: !list.isCut,
        Failures: list.groups.map((group) => toView(group, seen)),
      }
    },
  }),
]

function toView(group: FailureGroup, names: ReadonlyMap<string, string>): Static<typeof FailureView> {
  const { url, error, attempts, events, first, last, counts, receivers, examples } = group
  return {
    URL: url,
    Error: error,
    Attempts: attempts,
    Events: events,
    Undelivered: receivers.reduce((sum, { pending, dead }) => sum + pending + dead, 0),
    First: new Date(first).toISOString(),
    Last: new Date(last).toISOString(),
    Counts: [...counts],
    Webhooks: receivers.slice(0, MAX_NAMED).map(({ endpoint: { id, isMain, session }, pending, dead }) => ({
      Endpoint: isMain ? 'main' : id,
      Session: session,
      Name: names.get(session) ?? '',
      Undelivered: pending + dead,
    })),
    Count: receivers.length,
    Examples: examples.map(({ id, type, session, at }) => ({
      Id: id,
      Type: type,
      Session: session,
      At: new Date(at).toISOString(),
    })),
  }
}
