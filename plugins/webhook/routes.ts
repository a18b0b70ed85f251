import { Subscribe, subscribeNotice } from 'wamux/messaging'
import { type Events, type Kernel, type RouteBuilder, type Static, type Subscription, T } from 'wamux/plugin'
import { Format, type WebhookConfig } from './config.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import type { Endpoints } from './endpoints/endpoints.ts'
import type { WebhookService } from './webhook-service.ts'

type Deps = Kernel<WebhookConfig> & { endpoints: Endpoints; webhookService: WebhookService }

const state = {
  state: T.String({
    description: 'active; disabled after days of failures; gone after a 410; none while none is set',
  }),
  reason: T.String({ description: 'Why, in words' }),
}
const EndpointView = T.Object({
  Id: T.String({ description: '`main` is the one of POST /webhook' }),
  URL: T.String(),
  Subscribe: T.Array(T.String()),
  Format,
  State: T.String({ description: 'active, disabled or gone' }),
  Reason: T.String(),
  FailingSince: T.String({ description: 'First failure after the last success; empty for none' }),
})

/** Where events go: the interface's webhook, further ones, and their secrets. */
export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/webhook', {
    summary: 'Set where events are delivered',
    access: 'token',
    audit: 'webhook.set',
    description:
      'The first call answers the `Secret` that deliveries are signed with, once. An empty URL removes the webhook.',
    body: T.Object({
      WebhookURL: T.String({
        allowEmpty: true,
        aliases: ['webhook', 'url'],
        description: 'http or https address',
        examples: ['https://example.com/hook'],
      }),
      Subscribe,
      Format: T.Optional(Format),
    }),
    response: T.Object({
      webhook: T.String(),
      subscribe: T.Array(T.String()),
      Secret: T.Optional(T.String()),
      ...subscribeNotice,
    }),
    async handle({ body, session }, { webhookService, events }) {
      const { classes, notice } = subscriptionOf(events, body)
      const input = { url: body.WebhookURL, subscribe: classes, format: body.Format }
      const { endpoint, secret } = await webhookService.setMain(session, input)
      const { url, subscribe } = endpoint
      return { webhook: url, subscribe: [...subscribe], ...(secret ? { Secret: secret } : {}), ...notice }
    },
  }),
  r.get('/webhook', {
    summary: 'Where events are delivered, which, and whether it works',
    access: 'token',
    response: T.Object({ webhook: T.String(), subscribe: T.Array(T.String()), ...state }),
    async handle({ session }, { endpoints }) {
      const { webhook, subscribe } = session
      const first = endpoints.of(session).find(({ isMain }) => isMain)
      const fresh = { state: webhook ? 'active' : 'none', reason: '' }
      const { state, reason } = first && (webhook || first.reason) ? first : fresh
      return { webhook, subscribe: [...subscribe], state, reason }
    },
  }),
  r.get('/webhook/endpoints', {
    summary: 'All receivers of the session, its own webhook first',
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
    summary: 'Add a further receiver, or change one',
    access: 'token',
    audit: 'webhook.endpoint',
    description:
      'Each has its own address, classes, format, secret and state. A new one answers its `Secret`, once. Changing one switches it on again.',
    body: T.Object({
      URL: T.String({
        minLength: 1,
        aliases: ['WebhookURL', 'webhook'],
        description: 'http or https address',
      }),
      Id: T.Optional(T.String({ minLength: 1, description: 'Which one to change; a new one when absent' })),
      Subscribe,
      Format: T.Optional(Format),
    }),
    response: T.Object({
      ...EndpointView.properties,
      Secret: T.Optional(T.String()),
      ...subscribeNotice,
    }),
    async handle({ body, session }, { webhookService, events }) {
      const { classes, notice } = subscriptionOf(events, body)
      const input = { url: body.URL, subscribe: classes, format: body.Format }
      if (body.Id) return { ...toView(await webhookService.change(session, body.Id, input)), ...notice }
      const endpoint = await webhookService.add(session, input)
      return { ...toView(endpoint), Secret: endpoint.secret, ...notice }
    },
  }),
  r.delete('/webhook/endpoints', {
    summary: 'Remove a further receiver and everything that waits for it',
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
    summary: 'Change the secret; the old one signs beside the new one for 24 hours',
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

function subscriptionOf(
  events: Events,
  { Subscribe: names }: { Subscribe?: string[] },
): Partial<Subscription> {
  return names ? events.subscription(names) : {}
}

function toView(endpoint: Endpoint): Static<typeof EndpointView> {
  const { id, isMain, url, subscribe, format, state, reason, failingSince } = endpoint
  return {
    Id: isMain ? 'main' : id,
    URL: url,
    Subscribe: [...subscribe],
    Format: format,
    State: state,
    Reason: reason,
    FailingSince: failingSince ? new Date(failingSince).toISOString() : '',
  }
}
