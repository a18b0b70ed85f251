import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type RouteBuilder,
  type Session,
  T,
} from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import { numberIdOf } from '../graph/number-id.ts'
import { type Callbacks, ENDPOINT } from '../webhook/callbacks.ts'

type Deps = Kernel<CloudConfig> & Pick<GatewayServices, 'webhooks'> & { callbacks: Callbacks }

const Shown = T.Object({
  PhoneNumberId: T.String({ description: 'Id of the phone number for clients of the Cloud API' }),
  BusinessAccountId: T.String({ description: 'Id of the WhatsApp Business Account: the same' }),
  URL: T.String({ description: 'Webhook of the Cloud API; empty without one' }),
  Endpoint: T.String({
    description: 'Its id for the calls of `/webhook/endpoints`; empty without one',
  }),
  State: T.String({
    description: 'active; disabled after days of failures; gone after a 410; none without a webhook',
  }),
  Reason: T.String({ description: 'Reason why it was disabled; empty while it is active' }),
  Waiting: T.Integer({ description: 'Number of events that it has not accepted yet' }),
  Dead: T.Integer({ description: 'Number of events that it never accepted' }),
  LastError: T.String({
    description: 'Reason of the last failure; empty if no event is pending or a dead letter',
  }),
})

/** Set-up of a session in the gateway's interface. */
export const webhookRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/cloud-api', {
    summary: 'Read the ids and the webhook of the session for clients of the Cloud API',
    description: 'The values for setting up a client like Chatwoot.',
    access: 'token',
    scope: 'manage',
    response: Shown,
    handle: ({ session }, deps) => shown(session, deps),
  }),
  r.put('/cloud-api/webhook', {
    leaves: [],
    summary: 'Set the webhook that receives bodies in the form of the Cloud API',
    description:
      'First the address must answer a GET with `hub.mode`, `hub.challenge` and `hub.verify_token` with 200 and the challenge. Bodies are signed in `X-Hub-Signature-256` with `AppSecret`; a generated secret is shown only once.',
    example: {
      URL: 'https://shop.example/whatsapp',
      VerifyToken: 'my-verify-token',
      AppSecret: 'my-app-secret',
    },
    access: 'token',
    audit: 'cloud-api.webhook',
    errors: ['CLOUD_CALLBACK_FAILED'],
    body: T.Object({
      URL: T.String({ minLength: 1, format: 'link', description: 'http or https' }),
      VerifyToken: T.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Any text; the receiver checks it before it answers the challenge',
      }),
      AppSecret: T.Optional(
        T.String({
          minLength: 1,
          maxLength: 1024,
          description:
            'Signs the bodies; unchanged when absent, for a new webhook `appSecret` of the settings or a random one',
        }),
      ),
    }),
    response: T.Object({
      ...Shown.properties,
      AppSecret: T.Optional(T.String({ description: 'Present if it was generated now' })),
    }),
    async handle({ body, session }, deps) {
      const given = { url: body.URL, verifyToken: body.VerifyToken, secret: body.AppSecret }
      const secret = await deps.callbacks.set(session, given)
      return { ...(await shown(session, deps)), ...(secret ? { AppSecret: secret } : {}) }
    },
  }),
  r.delete('/cloud-api/webhook', {
    leaves: [],
    summary: 'Remove the webhook of the Cloud API',
    description: 'Pending deliveries are dropped.',
    access: 'token',
    audit: 'cloud-api.webhook.remove',
    response: Shown,
    async handle({ session }, deps) {
      if (!(await deps.webhooks.remove(session, ENDPOINT))) throw gatewayError('ITEM_UNKNOWN', ['Webhook'])
      return shown(session, deps)
    },
  }),
  r.post('/cloud-api/webhook/retry', {
    leaves: [],
    summary: 'Redeliver the events that the webhook of the Cloud API never accepted',
    description: 'Requeues dead letters and retries all pending deliveries at once.',
    access: 'token',
    errors: ['ITEM_UNKNOWN'],
    response: Shown,
    async handle({ session }, deps) {
      await deps.webhooks.retry(session, ENDPOINT)
      return shown(session, deps)
    },
  }),
]

async function shown(session: Session, { webhooks }: Deps) {
  const endpoint = webhooks.of(session, ENDPOINT)
  const { waiting, dead, lastError } = await webhooks.progress(session, ENDPOINT)
  return {
    PhoneNumberId: numberIdOf(session),
    BusinessAccountId: numberIdOf(session),
    URL: endpoint?.url ?? '',
    Endpoint: endpoint?.id ?? '',
    State: endpoint?.state ?? 'none',
    Reason: endpoint?.reason ?? '',
    Waiting: waiting,
    Dead: dead,
    LastError: lastError,
  }
}
