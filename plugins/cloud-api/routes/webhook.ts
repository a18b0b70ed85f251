import { gatewayError, type Kernel, type RouteBuilder, type Session, T } from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import { numberIdOf } from '../graph/number-id.ts'
import type { Backlog } from '../webhook/backlog.ts'
import type { Courier } from '../webhook/courier.ts'
import type { Hooks } from '../webhook/hooks.ts'

type Deps = Kernel<CloudConfig> & { hooks: Hooks; backlog: Backlog; courier: Courier }

const Shown = T.Object({
  PhoneNumberId: T.String({ description: 'Id of the phone number, as clients of the Cloud API name it' }),
  BusinessAccountId: T.String({ description: 'Id of the WhatsApp Business Account: the same' }),
  URL: T.String({ description: 'Webhook of the Cloud API; empty without one' }),
  Waiting: T.Integer({ description: 'Bodies that it has not accepted yet' }),
  Dead: T.Integer({ description: 'Bodies that it never accepted' }),
  LastError: T.String({ description: 'Why the last one was not accepted; empty when none waits' }),
})

/** Set-up of a session, in the interface of the gateway. */
export const webhookRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/cloud-api', {
    summary: 'Read the ids and the webhook of the session for clients of the Cloud API',
    description: 'What the set-up of a client such as Chatwoot requires.',
    access: 'token',
    scope: 'manage',
    response: Shown,
    handle: ({ session }, deps) => shown(session, deps),
  }),
  r.put('/cloud-api/webhook', {
    summary: 'Set the webhook that gets bodies in the form of the Cloud API',
    description:
      'The address must answer a GET with `hub.mode`, `hub.challenge` and `hub.verify_token` first: 200 and the challenge. Bodies are signed in `X-Hub-Signature-256` with `AppSecret`; a generated one is shown this one time.',
    example: {
      URL: 'https://example.com/whatsapp',
      VerifyToken: 'my-verify-token',
      AppSecret: 'my-app-secret',
    },
    access: 'token',
    audit: 'cloud-api.webhook',
    errors: ['CLOUD_CALLBACK_FAILED'],
    body: T.Object({
      URL: T.String({ minLength: 1, maxLength: 2048, description: 'http or https' }),
      VerifyToken: T.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Any text; the receiver compares it when it answers the challenge',
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
      const { hook, isNew } = await deps.hooks.set(session.id, given)
      deps.courier.hurry(session.id)
      return { ...(await shown(session, deps)), ...(isNew ? { AppSecret: hook.secret } : {}) }
    },
  }),
  r.delete('/cloud-api/webhook', {
    summary: 'Remove the webhook of the Cloud API',
    description: 'What waits for it is dropped.',
    access: 'token',
    audit: 'cloud-api.webhook.remove',
    response: Shown,
    async handle({ session }, deps) {
      if (!(await deps.courier.remove(session.id))) throw gatewayError('ITEM_UNKNOWN', ['Webhook'])
      return shown(session, deps)
    },
  }),
  r.post('/cloud-api/webhook/retry', {
    summary: 'Deliver again what the webhook of the Cloud API never accepted',
    description: 'Dead letters wait again, and everything that waits is tried at once.',
    access: 'token',
    errors: ['ITEM_UNKNOWN'],
    response: Shown,
    async handle({ session }, deps) {
      if (!(await deps.hooks.read(session.id))) throw gatewayError('ITEM_UNKNOWN', ['Webhook'])
      await deps.courier.retry(session.id)
      return shown(session, deps)
    },
  }),
]

async function shown(session: Session, { hooks, backlog, courier }: Deps) {
  const { waiting, dead } = await backlog.count(session.id)
  return {
    PhoneNumberId: numberIdOf(session),
    BusinessAccountId: numberIdOf(session),
    URL: (await hooks.read(session.id))?.url ?? '',
    Waiting: waiting,
    Dead: dead,
    LastError: courier.lastError(session.id),
  }
}
