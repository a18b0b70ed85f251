import { type GatewayServices, gatewayError, type RouteBuilder, type Session, T } from 'wamux/plugin'
import { GRAPH, ROOT } from '../graph/dialect.ts'
import { Graph } from '../graph/graph-error.ts'
import { assertOwn, isNumberId, numberIdOf, phoneOf } from '../graph/number-id.ts'
import { type Callbacks, ENDPOINT } from '../webhook/callbacks.ts'
import { type MediaDeps, mediaView } from './media.ts'

type Deps = MediaDeps & Pick<GatewayServices, 'sessionSettings' | 'webhooks'> & { callbacks: Callbacks }

const SCOPES = ['whatsapp_business_management', 'whatsapp_business_messaging']

/** The routes by which a client reads a number, an account or a token, and registers its webhook. */
export const accountRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get(`${ROOT}/:id`, {
    ...GRAPH,
    summary: 'Cloud API: read a phone number, a WhatsApp Business Account or a file',
    description: '`me` and `debug_token` describe the token. The query parameter `fields` selects fields.',
    access: 'token',
    // For a file its event decides; a number is not a chat.
    isFiltered: true,
    errors: ['CLOUD_OBJECT_UNKNOWN'],
    response: Graph('Fields of the object'),
    async handle(request, deps) {
      const { session, params, query } = request
      const id = params['id'] ?? ''
      const number = numberView(session)
      if (id === 'me') return { id: number.id, name: number.name }
      if (id === 'debug_token') return { data: tokenView(session) }
      if (isNumberId(session, id)) {
        assertOwn(session, id, deps.sessionSettings)
        return chosen(number, query.get('fields'))
      }
      const file = await mediaView(request, deps)
      if (!file) throw gatewayError('CLOUD_OBJECT_UNKNOWN', [id])
      return file
    },
  }),
  r.post(`${ROOT}/:id`, {
    ...GRAPH,
    leaves: [],
    summary: 'Cloud API: change a phone number, for example its webhook',
    description:
      '`webhook_configuration` registers the webhook of the session; a `pin` is accepted but not kept.',
    access: 'token',
    scope: 'manage',
    audit: 'cloud-api.webhook',
    errors: ['CLOUD_OBJECT_UNKNOWN', 'CLOUD_CALLBACK_FAILED', 'CLOUD_UNSUPPORTED'],
    body: T.Object({
      pin: T.Optional(T.String({ format: 'id' })),
      webhook_configuration: T.Optional(
        T.Object({
          override_callback_uri: T.Optional(T.String({ format: 'link', allowEmpty: true })),
          verify_token: T.Optional(T.String({ format: 'token' })),
        }),
      ),
    }),
    response: Graph('`success`'),
    async handle({ body, session, params }, { callbacks, webhooks, sessionSettings }) {
      assertOwn(session, params['id'], sessionSettings)
      const { pin, webhook_configuration: given } = body
      if (!given && !pin) throw gatewayError('CLOUD_UNSUPPORTED', ['this change of a phone number'])
      if (given?.override_callback_uri) await override(callbacks, session, given)
      else if (given) await webhooks.remove(session, ENDPOINT)
      return { success: true }
    },
  }),
  r.get(`${ROOT}/:id/phone_numbers`, {
    ...GRAPH,
    summary: 'Cloud API: list the phone numbers of an account',
    description: 'An account has one number, with the same id.',
    access: 'token',
    errors: ['CLOUD_OBJECT_UNKNOWN'],
    response: Graph('`data`'),
    async handle({ session, params, query }, { sessionSettings }) {
      assertOwn(session, params['id'], sessionSettings)
      return graphPage([chosen(numberView(session), query.get('fields'))])
    },
  }),
  ...(['register', 'deregister'] as const).map((edge) =>
    r.post(`${ROOT}/:id/${edge}`, {
      ...GRAPH,
      leaves: [],
      summary: `Cloud API: ${edge} a phone number`,
      description:
        edge === 'register'
          ? 'Succeeds if the session is linked.'
          : 'Refused: the session is unlinked with `POST /session/logout`.',
      access: 'token',
      scope: 'manage',
      errors: ['CLOUD_OBJECT_UNKNOWN', 'NOT_LOGGED_IN', 'CLOUD_UNSUPPORTED'],
      response: Graph('`success`'),
      async handle({ session, params }, { sessionSettings }) {
        assertOwn(session, params['id'], sessionSettings)
        if (edge === 'deregister') throw gatewayError('CLOUD_UNSUPPORTED', ['deregister'])
        if (!session.jid) throw gatewayError('NOT_LOGGED_IN')
        return { success: true }
      },
    }),
  ),
  r.get(`${ROOT}/:id/subscribed_apps`, {
    ...GRAPH,
    summary: 'Cloud API: list the subscribed webhooks of an account',
    description: 'One or none.',
    access: 'token',
    scope: 'manage',
    errors: ['CLOUD_OBJECT_UNKNOWN'],
    response: Graph('`data`'),
    async handle({ session, params }, { callbacks, sessionSettings }) {
      assertOwn(session, params['id'], sessionSettings)
      const url = callbacks.urlOf(session)
      const app = { whatsapp_business_api_data: { id: numberIdOf(session), name: 'wamux', link: '' } }
      return { data: url ? [{ ...app, override_callback_uri: url }] : [] }
    },
  }),
  r.post(`${ROOT}/:id/subscribed_apps`, {
    ...GRAPH,
    leaves: [],
    summary: 'Cloud API: subscribe to the webhooks of an account',
    description:
      'With `override_callback_uri` and `verify_token` it registers that address, which must answer the challenge; without them it changes nothing.',
    example: { override_callback_uri: 'https://shop.example/whatsapp', verify_token: 'my-verify-token' },
    access: 'token',
    scope: 'manage',
    audit: 'cloud-api.webhook',
    errors: ['CLOUD_OBJECT_UNKNOWN', 'CLOUD_CALLBACK_FAILED'],
    body: T.Object({
      override_callback_uri: T.Optional(T.String({ format: 'link' })),
      verify_token: T.Optional(T.String({ format: 'token' })),
    }),
    response: Graph('`success`'),
    async handle({ body, session, params }, { callbacks, sessionSettings }) {
      assertOwn(session, params['id'], sessionSettings)
      if (body.override_callback_uri) await override(callbacks, session, body)
      return { success: true }
    },
  }),
  r.delete(`${ROOT}/:id/subscribed_apps`, {
    ...GRAPH,
    leaves: [],
    summary: 'Cloud API: end the subscription to the webhooks of an account',
    description: 'The webhook of the session is removed.',
    access: 'token',
    scope: 'manage',
    audit: 'cloud-api.webhook.remove',
    errors: ['CLOUD_OBJECT_UNKNOWN'],
    response: Graph('`success`'),
    async handle({ session, params }, { webhooks, sessionSettings }) {
      assertOwn(session, params['id'], sessionSettings)
      await webhooks.remove(session, ENDPOINT)
      return { success: true }
    },
  }),
]

/** Refuses all other paths in Graph's form. Registered last. */
export const otherRoutes = <D extends Deps>(r: RouteBuilder<D>) =>
  (['get', 'post', 'delete'] as const).map((method) =>
    r[method](`${ROOT}/:id/:edge`, {
      ...GRAPH,
      leaves: [],
      summary: `Cloud API: any other ${method.toUpperCase()}`,
      description: 'Refused with a Graph error that names the path.',
      access: 'token',
      scope: method === 'get' ? 'read' : 'manage',
      errors: ['CLOUD_UNSUPPORTED'],
      response: Graph('Never answered'),
      async handle({ params }) {
        throw gatewayError('CLOUD_UNSUPPORTED', [`${method.toUpperCase()} /${params['edge']}`])
      },
    }),
  )

async function override(
  callbacks: Callbacks,
  session: Session,
  given: { override_callback_uri?: string; verify_token?: string },
): Promise<void> {
  const { override_callback_uri: url = '', verify_token: verifyToken } = given
  if (!verifyToken) throw gatewayError('FIELD_MISSING', ['verify_token'])
  await callbacks.set(session, { url, verifyToken })
}

function numberView(session: Session) {
  const phone = phoneOf(session.jid)
  return {
    id: numberIdOf(session),
    name: session.name,
    display_phone_number: phone && `+${phone}`,
    verified_name: session.name,
    code_verification_status: phone ? 'VERIFIED' : 'NOT_VERIFIED',
    quality_rating: 'UNKNOWN',
    platform_type: 'CLOUD_API',
    status: session.loggedIn ? 'CONNECTED' : 'DISCONNECTED',
    throughput: { level: 'STANDARD' },
  }
}

function tokenView(session: Session) {
  const target_ids = [numberIdOf(session)]
  return {
    app_id: numberIdOf(session),
    application: 'wamux',
    type: 'SYSTEM_USER',
    is_valid: true,
    expires_at: 0,
    scopes: SCOPES,
    granular_scopes: SCOPES.map((scope) => ({ scope, target_ids })),
    user_id: numberIdOf(session),
  }
}

/** The id and the fields that the query names; all without a query. */
function chosen(view: Record<string, unknown>, fields: string | null): Record<string, unknown> {
  if (!fields) return view
  const names = new Set(['id', ...fields.split(',').map((name) => name.trim().split(/[{(]/, 1)[0])])
  return Object.fromEntries(Object.entries(view).filter(([name]) => names.has(name)))
}

/** A list in Graph's form, without a further page. */
export function graphPage(data: readonly unknown[]) {
  return { data, paging: { cursors: { before: 'MA', after: 'MA' } } }
}
