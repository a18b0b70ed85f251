import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { Secrets } from './secrets.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'http'> & { secrets: Secrets }

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/webhook', {
    summary: 'Set where events are delivered',
    access: 'token',
    description:
      'The first call answers the `Secret` that deliveries are signed with, once. An empty URL removes the webhook.',
    body: T.Object({
      WebhookURL: T.String({
        aliases: ['webhook', 'url'],
        description: 'http or https address',
        examples: ['https://example.com/hook'],
      }),
      Subscribe: T.Optional(
        T.Array(T.String(), { aliases: ['Events'], description: 'Event classes; unchanged when absent' }),
      ),
    }),
    response: T.Object({
      webhook: T.String(),
      subscribe: T.Array(T.String()),
      Secret: T.Optional(T.String()),
    }),
    async handle({ body, session }, { events, http, sessions, secrets }) {
      const known = [...events.classes(), 'All']
      const unknown = body.Subscribe?.find((name) => !known.includes(name))
      if (unknown !== undefined) throw gatewayError('CLASS_UNKNOWN', [unknown, known.join(', ')])
      if (body.WebhookURL) http.check('WebhookURL', body.WebhookURL)
      const secret = body.WebhookURL ? await secrets.create(session.id) : undefined
      const subscribe = body.Subscribe?.length ? { subscribe: body.Subscribe } : {}
      const now = await sessions.update(session.id, { webhook: body.WebhookURL, ...subscribe })
      return { webhook: now.webhook, subscribe: [...now.subscribe], ...(secret ? { Secret: secret } : {}) }
    },
  }),
  r.get('/webhook', {
    summary: 'Where events are delivered, and which',
    access: 'token',
    response: T.Object({ webhook: T.String(), subscribe: T.Array(T.String()) }),
    handle: async ({ session }) => ({ webhook: session.webhook, subscribe: [...session.subscribe] }),
  }),
]
