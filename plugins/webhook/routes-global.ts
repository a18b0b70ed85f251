import { Subscribe, subscribeNotice } from 'wamux/messaging'
import { gatewayError, type RouteBuilder, T } from 'wamux/plugin'
import {
  ClassViews,
  classViews,
  EndpointUrl,
  EndpointView,
  FormatViews,
  form,
  formatViews,
  inputOf,
  paused,
  settings,
  toView,
} from './endpoint-view.ts'
import { CONFIGURED } from './endpoints/endpoints.ts'
import {
  type DeliveryDeps,
  DeliveryPage,
  LIST,
  listDeliveries,
  PageBody,
  REPLAY,
  ReplayBody,
  Replayed,
  replay,
  SampleName,
  TEST,
  Tested,
  testedOf,
} from './routes-deliveries.ts'

const includeToken = { IncludeToken: T.Boolean({ description: "Bodies contain the session's token" }) }
const GlobalView = T.Object({ ...EndpointView.properties, ...includeToken })
const Id = T.String({ minLength: 1, format: 'id', description: 'Its id, from GET /webhook/global' })

/** Webhooks for the events of all sessions. */
export const globalRoutes = <D extends DeliveryDeps>(r: RouteBuilder<D>) => [
  r.get('/webhook/global', {
    summary: 'List the webhooks for the events of all sessions',
    description:
      'Including the one of the configuration (`globalUrl`); header values and secrets are not shown.',
    access: 'admin',
    response: T.Object({ Endpoints: T.Array(GlobalView), Formats: FormatViews, Classes: ClassViews }),
    handle: async (_, { endpoints, formats, describe }) => ({
      Endpoints: endpoints.global().map((endpoint) => toGlobalView(endpoint, formats)),
      Formats: formatViews(formats),
      Classes: classViews({ describe }),
    }),
  }),
  r.post('/webhook/global', {
    leaves: [],
    summary: 'Add a webhook for the events of all sessions, or change one',
    access: 'admin',
    audit: 'webhook.global',
    example: { URL: 'https://shop.example/hook', Subscribe: ['Message'] },
    chain: { saves: { globalEndpoint: 'Id' } },
    description:
      "Bodies name the session by `userID` and `instanceName`. The `Secret` of a new one is shown only once. Delivery works as for a session's own webhook: durable, in order per chat, retried.",
    body: T.Object({
      URL: EndpointUrl,
      Id: T.Optional(
        T.String({
          minLength: 1,
          format: 'id',
          description: 'Id of the webhook to change; a new one when absent',
        }),
      ),
      Subscribe,
      ...form,
      ...paused,
      ...settings,
      IncludeToken: T.Optional(includeToken.IncludeToken),
    }),
    response: T.Object({
      ...GlobalView.properties,
      Secret: T.Optional(T.String()),
      ...subscribeNotice,
    }),
    async handle({ body, caller }, deps) {
      if (caller && body.IncludeToken) throw gatewayError('TOKEN_HIDDEN', ['leave IncludeToken out'])
      const { webhookService, formats } = deps
      const { input, notice } = inputOf(deps, body.URL, body, caller)
      const given = { ...input, includesToken: caller ? false : body.IncludeToken }
      if (body.Id)
        return {
          ...toGlobalView(await webhookService.change(undefined, changeable(body.Id), given), formats),
          ...notice,
        }
      const endpoint = await webhookService.add(undefined, given)
      return { ...toGlobalView(endpoint, formats), Secret: endpoint.secret, ...notice }
    },
  }),
  r.post('/webhook/global/secret', {
    leaves: [],
    summary: 'Rotate the secret of a webhook of all sessions; both secrets sign for 24 hours',
    access: 'admin',
    audit: 'webhook.global-secret',
    description: 'The new secret is shown only once.',
    example: { Id: '7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e' },
    chain: { uses: { Id: 'globalEndpoint' } },
    body: T.Object({ Id }),
    response: T.Object({ Secret: T.String(), OldSecretUntil: T.String() }),
    async handle({ body }, { webhookService }) {
      const endpoint = await webhookService.find(undefined, changeable(body.Id))
      const { secret, oldUntil } = await webhookService.rotate(endpoint)
      return { Secret: secret, OldSecretUntil: new Date(oldUntil).toISOString() }
    },
  }),
  r.post('/webhook/global/test', {
    leaves: [],
    summary: 'Send a test event to a webhook of all sessions now and report the outcome',
    access: 'admin',
    description: `${TEST} It needs a session, which its body names.`,
    example: { Id: '7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e', Event: 'message.text' },
    chain: { uses: { Id: 'globalEndpoint' } },
    body: T.Object({ Id, Event: SampleName }),
    response: Tested,
    async handle({ body }, { attempts, sessions, testDeliveries, webhookService }) {
      const { id } = await webhookService.find(undefined, body.Id)
      const [session] = await sessions.list()
      if (!session) throw gatewayError('ITEM_UNKNOWN', ['Session'])
      return testedOf(await attempts.attempt(await testDeliveries.make(id, session, body.Event)))
    },
  }),
  r.get('/webhook/global/deliveries', {
    summary: 'List deliveries to the webhooks of all sessions, oldest first',
    access: 'admin',
    description: LIST,
    body: PageBody,
    response: DeliveryPage,
    async handle({ body }, deps) {
      const ids = body.Endpoint
        ? [(await deps.webhookService.find(undefined, body.Endpoint)).id]
        : deps.endpoints.global().map(({ id }) => id)
      return listDeliveries(deps, ids, body)
    },
  }),
  r.post('/webhook/global/replay', {
    leaves: [],
    summary: 'Deliver again to a webhook of all sessions: one event, a range, or all dead letters',
    access: 'admin',
    audit: 'webhook.global-replay',
    example: { Endpoint: '7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e', State: 'dead' },
    chain: { uses: { Endpoint: 'globalEndpoint' } },
    description: REPLAY,
    body: T.Object({ ...ReplayBody.properties, Endpoint: Id }),
    response: Replayed,
    async handle({ body, viewer, signal }, deps) {
      const { id } = await deps.webhookService.find(undefined, body.Endpoint)
      return replay(deps, id, body, { viewer, signal })
    },
  }),
  r.delete('/webhook/global', {
    leaves: [],
    summary: 'Remove a webhook of all sessions and its pending deliveries',
    access: 'admin',
    audit: 'webhook.global-remove',
    description: 'Its pending deliveries are dropped.',
    example: { Id: '7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e' },
    chain: { uses: { Id: 'globalEndpoint' } },
    body: T.Object({ Id }),
    response: T.Object({ Details: T.String() }),
    async handle({ body }, { webhookService }) {
      await webhookService.remove(undefined, changeable(body.Id))
      return { Details: 'Endpoint removed' }
    },
  }),
]

function toGlobalView(...[endpoint, formats]: Parameters<typeof toView>) {
  return { ...toView(endpoint, formats), IncludeToken: endpoint.includesToken }
}

function changeable(id: string): string {
  if (id !== CONFIGURED) return id
  throw gatewayError('FIELD_INVALID', ['Id', 'this webhook is set in the configuration (globalUrl)'])
}
