import { Subscribe, subscribeNotice } from 'wamux/messaging'
import { type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { Format, type WebhookConfig } from './config.ts'
import { EndpointView, inputOf, settings, settingsOf, toView } from './endpoint-view.ts'
import type { Endpoints } from './endpoints/endpoints.ts'
import type { WebhookService } from './webhook-service.ts'

type Deps = Kernel<WebhookConfig> & { endpoints: Endpoints; webhookService: WebhookService }

const state = {
  state: T.String({
    description: 'active; disabled after days of failures; gone after a 410; none while no webhook is set',
  }),
  reason: T.String({ description: 'Why it was disabled; empty while it is active' }),
}

/** The session's own webhook, additional endpoints, and their secrets. */
export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/webhook', {
    summary: 'Set the webhook URL and its subscription',
    example: { WebhookURL: 'https://example.com/hook', Subscribe: ['Message', 'ReadReceipt'] },
    access: 'token',
    audit: 'webhook.set',
    description:
      'The first call returns the `Secret` that deliveries are signed with; it is shown only once. An empty URL removes the webhook.',
    body: T.Object({
      WebhookURL: T.String({
        allowEmpty: true,
        aliases: ['webhook', 'url'],
        description: 'http or https address',
        examples: ['https://example.com/hook'],
      }),
      Subscribe,
      Format: T.Optional(Format),
      ...settings,
    }),
    response: T.Object({
      webhook: T.String(),
      subscribe: T.Array(T.String()),
      Secret: T.Optional(T.String()),
      ...subscribeNotice,
    }),
    async handle({ body, session }, deps) {
      const { input, notice } = inputOf(deps, body.WebhookURL, body)
      const { endpoint, secret } = await deps.webhookService.setMain(session, input)
      const { url, subscribe } = endpoint
      return { webhook: url, subscribe: [...subscribe], ...(secret ? { Secret: secret } : {}), ...notice }
    },
  }),
  r.get('/webhook', {
    summary: 'Read the webhook URL, its subscription and its state',
    description: 'The main webhook; `GET /webhook/endpoints` lists the others as well.',
    access: 'token',
    response: T.Object({
      webhook: T.String(),
      subscribe: T.Array(T.String()),
      ...state,
      ...settings,
    }),
    async handle({ session }, { endpoints }) {
      const { webhook, subscribe } = session
      const first = endpoints.of(session).find(({ isMain }) => isMain)
      const fresh = { state: webhook ? 'active' : 'none', reason: '' }
      const { state, reason } = first && (webhook || first.reason) ? first : fresh
      return { webhook, subscribe: [...subscribe], state, reason, ...(first ? settingsOf(first) : {}) }
    },
  }),
  r.get('/webhook/endpoints', {
    summary: 'List all endpoints of the session, its own webhook first',
    description: 'The id of the main one is `main`.',
    access: 'token',
    response: T.Object({ Endpoints: T.Array(EndpointView) }),
    handle: async ({ session }, { endpoints }) => ({
      Endpoints: endpoints
        .of(session)
        .filter(({ url }) => url)
        .map(toView),
    }),
  }),
  r.post('/webhook/endpoints', {
    summary: 'Add an endpoint, or change one',
    example: { URL: 'https://example.com/crm', Subscribe: ['Message'] },
    access: 'token',
    audit: 'webhook.endpoint',
    description:
      'Each endpoint has its own address, classes, format, secret and state. The `Secret` of a new one is shown only once. Changing an endpoint enables it again.',
    body: T.Object({
      URL: T.String({
        minLength: 1,
        aliases: ['WebhookURL', 'webhook'],
        description: 'http or https address',
      }),
      Id: T.Optional(
        T.String({ minLength: 1, description: 'The endpoint to change; a new one when absent' }),
      ),
      Subscribe,
      Format: T.Optional(Format),
      ...settings,
    }),
    response: T.Object({
      ...EndpointView.properties,
      Secret: T.Optional(T.String()),
      ...subscribeNotice,
    }),
    async handle({ body, session }, deps) {
      const { webhookService } = deps
      const { input, notice } = inputOf(deps, body.URL, body)
      if (body.Id) return { ...toView(await webhookService.change(session, body.Id, input)), ...notice }
      const endpoint = await webhookService.add(session, input)
      return { ...toView(endpoint), Secret: endpoint.secret, ...notice }
    },
  }),
  r.delete('/webhook/endpoints', {
    summary: 'Remove an endpoint and its pending deliveries',
    description: 'The main one is removed by `POST /webhook` with an empty URL.',
    example: { Id: '7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e' },
    access: 'token',
    audit: 'webhook.remove',
    body: T.Object({ Id: T.String({ minLength: 1, description: 'Its id, from GET /webhook/endpoints' }) }),
    response: T.Object({ Details: T.String() }),
    async handle({ body, session }, { webhookService }) {
      await webhookService.remove(session, body.Id)
      return { Details: 'Endpoint removed' }
    },
  }),
  r.post('/webhook/secret', {
    summary: 'Rotate the secret; both secrets sign for 24 hours',
    description: 'The answer has the new secret, which is shown only once.',
    access: 'token',
    audit: 'webhook.secret',
    body: T.Object({ Endpoint: T.Optional(T.String({ description: 'Id; the main webhook when absent' })) }),
    response: T.Object({ Secret: T.String(), OldSecretUntil: T.String() }),
    async handle({ body, session }, { webhookService }) {
      const { secret, oldUntil } = await webhookService.rotate(
        await webhookService.find(session, body.Endpoint),
      )
      return { Secret: secret, OldSecretUntil: new Date(oldUntil).toISOString() }
    },
  }),
]
