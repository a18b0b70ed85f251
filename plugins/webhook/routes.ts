import { Subscribe, subscribeNotice } from 'wamux/messaging'
import { type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { WebhookConfig } from './config.ts'
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
  settingsOf,
  toView,
} from './endpoint-view.ts'
import type { Endpoints } from './endpoints/endpoints.ts'
import type { Formats } from './formats/formats.ts'
import type { WebhookService } from './webhook-service.ts'

type Deps = Kernel<WebhookConfig> & {
  endpoints: Endpoints
  formats: Formats
  webhookService: WebhookService
}

const state = {
  state: T.String({
    description:
      'active; paused by a client; disabled after days of failures; gone after a 410; none while no webhook is set',
  }),
  reason: T.String({ description: 'Reason why it was disabled; empty while it is active' }),
}

/** The session's own webhook, additional endpoints, and their secrets. */
export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/webhook', {
    ignoresUnknown: true,
    leaves: [],
    isIdempotent: true,
    summary: 'Set the webhook URL and its subscription',
    example: { WebhookURL: 'https://shop.example/hook', Subscribe: ['Message', 'ReadReceipt'] },
    access: 'token',
    audit: 'webhook.set',
    description:
      'The first call returns the `Secret` that signs the deliveries; it is shown only once. An empty URL removes the webhook.',
    body: T.Object({
      WebhookURL: T.String({
        allowEmpty: true,
        format: 'link',
        aliases: ['webhook', 'url'],
        description: 'http or https address',
        examples: ['https://shop.example/hook'],
      }),
      Subscribe,
      ...form,
      ...paused,
      ...settings,
    }),
    response: T.Object({
      webhook: T.String(),
      subscribe: T.Array(T.String()),
      Secret: T.Optional(T.String()),
      ...subscribeNotice,
    }),
    async handle({ body, session, caller }, deps) {
      const { input, notice } = inputOf(deps, body.WebhookURL, body, caller)
      const { endpoint, secret } = await deps.webhookService.setMain(session, input)
      const { url, subscribe } = endpoint
      return { webhook: url, subscribe: [...subscribe], ...(secret ? { Secret: secret } : {}), ...notice }
    },
  }),
  r.get('/webhook', {
    ignoresUnknown: true,
    isSensitive: true,
    summary: 'Read the webhook URL, its subscription and its state',
    description: 'The main webhook; `GET /webhook/endpoints` also lists the others.',
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
    isSensitive: true,
    summary: 'List all endpoints of the session, its own webhook first',
    description: 'The id of the main one is `main`.',
    access: 'token',
    response: T.Object({ Endpoints: T.Array(EndpointView), Formats: FormatViews, Classes: ClassViews }),
    handle: async ({ session }, { endpoints, formats, describe }) => ({
      Endpoints: endpoints
        .of(session)
        .filter(({ url }) => url)
        .map((endpoint) => toView(endpoint, formats)),
      Formats: formatViews(formats),
      Classes: classViews({ describe }),
    }),
  }),
  r.post('/webhook/endpoints', {
    leaves: [],
    summary: 'Add an endpoint, or change one',
    example: { URL: 'https://shop.example/crm', Subscribe: ['Message'] },
    chain: { saves: { endpoint: 'Id' } },
    access: 'token',
    audit: 'webhook.endpoint',
    description:
      'Each endpoint has its own address, classes, format, secret and state. The `Secret` of a new one is shown only once. Changing an endpoint enables it again, unless it is paused.',
    body: T.Object({
      URL: EndpointUrl,
      Id: T.Optional(
        T.String({
          minLength: 1,
          format: 'id',
          description: 'The endpoint to change; a new one when absent',
        }),
      ),
      Subscribe,
      ...form,
      ...paused,
      ...settings,
    }),
    response: T.Object({
      ...EndpointView.properties,
      Secret: T.Optional(T.String()),
      ...subscribeNotice,
    }),
    async handle({ body, session, caller }, deps) {
      const { webhookService, formats } = deps
      const { input, notice } = inputOf(deps, body.URL, body, caller)
      if (body.Id)
        return { ...toView(await webhookService.change(session, body.Id, input), formats), ...notice }
      const endpoint = await webhookService.add(session, input)
      return { ...toView(endpoint, formats), Secret: endpoint.secret, ...notice }
    },
  }),
  r.delete('/webhook/endpoints', {
    leaves: [],
    summary: 'Remove an endpoint and its pending deliveries',
    description: 'The main one is removed by `POST /webhook` with an empty URL.',
    example: { Id: '7b0e6a52-1f4c-4c6e-9d57-3a8f2b1c0d9e' },
    chain: { uses: { Id: 'endpoint' } },
    access: 'token',
    audit: 'webhook.remove',
    body: T.Object({
      Id: T.String({ minLength: 1, format: 'id', description: 'Its id, from GET /webhook/endpoints' }),
    }),
    response: T.Object({ Details: T.String() }),
    async handle({ body, session }, { webhookService }) {
      await webhookService.remove(session, body.Id)
      return { Details: 'Endpoint removed' }
    },
  }),
  r.post('/webhook/secret', {
    leaves: [],
    summary: 'Rotate the secret; both secrets sign for 24 hours',
    description: 'The answer has the new secret, which is shown only once.',
    access: 'token',
    audit: 'webhook.secret',
    body: T.Object({
      Endpoint: T.Optional(T.String({ format: 'id', description: 'Id; the main webhook when absent' })),
    }),
    response: T.Object({ Secret: T.String(), OldSecretUntil: T.String() }),
    async handle({ body, session }, { webhookService }) {
      const { secret, oldUntil } = await webhookService.rotate(
        await webhookService.find(session, body.Endpoint),
      )
      return { Secret: secret, OldSecretUntil: new Date(oldUntil).toISOString() }
    },
  }),
]
