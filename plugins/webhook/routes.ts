import { type Kernel, type RouteBuilder, type Static, T } from 'wamux/plugin'
import { Format, type WebhookConfig } from './config.ts'
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import type { Hooks } from './hooks.ts'

type Deps = Kernel<WebhookConfig> & { endpoints: Endpoints; hooks: Hooks }

const Subscribe = T.Optional(
  T.Array(T.String(), { aliases: ['Events'], description: 'Event classes; unchanged when absent' }),
)
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
    }),
    async handle({ body, session }, { hooks }) {
      const wish = { url: body.WebhookURL, subscribe: body.Subscribe, format: body.Format }
      const { endpoint, secret } = await hooks.setFirst(session, wish)
      const { url, subscribe } = endpoint
      return { webhook: url, subscribe: [...subscribe], ...(secret ? { Secret: secret } : {}) }
    },
  }),
  r.get('/webhook', {
    summary: 'Where events are delivered, which, and whether it works',
    access: 'token',
    response: T.Object({ webhook: T.String(), subscribe: T.Array(T.String()), ...state }),
    async handle({ session }, { endpoints }) {
      const { webhook, subscribe } = session
      const first = endpoints.of(session).find(({ isFirst }) => isFirst)
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
    response: T.Object({ ...EndpointView.properties, Secret: T.Optional(T.String()) }),
    async handle({ body, session }, { hooks }) {
      const wish = { url: body.URL, subscribe: body.Subscribe, format: body.Format }
      if (body.Id) return toView(await hooks.change(session, body.Id, wish))
      const endpoint = await hooks.add(session, wish)
      return { ...toView(endpoint), Secret: endpoint.secret }
    },
  }),
  r.delete('/webhook/endpoints', {
    summary: 'Remove a further receiver and everything that waits for it',
    access: 'token',
    audit: 'webhook.remove',
    body: T.Object({ Id: T.String({ minLength: 1, description: 'Its id, from GET /webhook/endpoints' }) }),
    response: T.Object({ Details: T.String() }),
    async handle({ body, session }, { hooks }) {
      await hooks.remove(session, body.Id)
      return { Details: 'Endpoint removed' }
    },
  }),
  r.post('/webhook/secret', {
    summary: 'Change the secret; the old one signs beside the new one for 24 hours',
    access: 'token',
    audit: 'webhook.secret',
    body: T.Object({ Endpoint: T.Optional(T.String({ description: 'Id; the main webhook when absent' })) }),
    response: T.Object({ Secret: T.String(), OldSecretUntil: T.String() }),
    async handle({ body, session }, { hooks }) {
      const { secret, oldUntil } = await hooks.rotate(await hooks.find(session, body.Endpoint))
      return { Secret: secret, OldSecretUntil: new Date(oldUntil).toISOString() }
    },
  }),
]

function toView(endpoint: Endpoint): Static<typeof EndpointView> {
  const { id, isFirst, url, subscribe, format, state, reason, failingSince } = endpoint
  return {
    Id: isFirst ? 'main' : id,
    URL: url,
    Subscribe: [...subscribe],
    Format: format,
    State: state,
    Reason: reason,
    FailingSince: failingSince ? new Date(failingSince).toISOString() : '',
  }
}
