import { Sent } from 'wamux/messaging'
import { type Access, type Description, type Route, T, type TSchema } from 'wamux/plugin'

type Json = Record<string, unknown>

const ERRORS: Readonly<Record<string, string>> = {
  400: 'The body or a field is invalid; nothing was sent',
  401: 'The token is missing or invalid',
  403: 'WhatsApp refused, or the key does not allow it',
  404: 'Not found',
  409: 'The session is not in the required state: No session, not logged in …',
  413: 'Payload too large',
  422: 'The id was used for another message',
  429: 'Rate limited by WhatsApp, the queue is full, or too many wrong tokens from this address',
  502: 'WhatsApp answered with an error',
  503: 'The gateway is stopping or busy',
  504: 'WhatsApp did not answer in time; the outcome is unknown',
  507: 'The disk or the database of the gateway is full or failing',
}

const SEND_HEADERS = [
  {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key of your choice: a repeated request with the same key is not sent again, also after a crash, and gets the first answer (`Idempotent-Replay: true`)',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
  {
    name: 'Prefer',
    in: 'header',
    description:
      '`respond-async`: answer 202 once the message is stored; the event Message or SendFailed reports the outcome',
    schema: { type: 'string', examples: ['respond-async'] },
  },
]

const ACCEPTED = T.Object({
  Details: T.String(),
  Id: T.String({ description: 'Message id' }),
})

/** OpenAPI 3.1 of the enabled plugins: paths from routes, webhooks from declared events. */
export function openApi({ version, plugins }: Description): Json {
  const paths: Record<string, Json> = {}
  const webhooks: Json = {}
  for (const { name, routes, events } of plugins) {
    for (const route of routes) {
      const path = route.path.replace(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) }
    }
    for (const [type, declared] of Object.entries(events)) webhooks[type] = webhook(type, declared)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'wamux',
      version,
      description:
        'HTTP interface of WhatsApp accounts. Field names are case-insensitive; those shown are canonical. `null` counts as absent. Unknown fields are ignored and listed in the header X-Ignored-Fields.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: plugins.filter(({ routes }) => routes.length > 0).map(({ name }) => ({ name })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'token', description: 'Token of a session' },
        admin: {
          type: 'apiKey',
          in: 'header',
          name: 'admintoken',
          description: 'Token of the administrator',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A session token, a key (`wmx_…`) or the token of the administrator',
        },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['code', 'error', 'success'],
          properties: {
            code: { type: 'integer', description: 'The HTTP status' },
            error: { type: 'string' },
            details: { type: 'string' },
            success: { const: false },
          },
        },
      },
    },
  }
}

function operation(plugin: string, { method, path, spec }: Route): Json {
  const { access = 'login', summary, description, body, response } = spec
  const name = path.replace(/[^a-z0-9]+/gi, '_').replace(/^_|_$/g, '')
  const isGet = method === 'GET'
  const isSend = response === Sent
  return {
    operationId: `${method.toLowerCase()}_${name}`,
    tags: [plugin],
    summary,
    ...(description ? { description } : {}),
    security: securityOf(access),
    parameters: [
      ...pathParameters(path),
      ...(isGet && body ? queryParameters(body) : []),
      ...(isSend ? SEND_HEADERS : []),
    ],
    ...(body && !isGet ? { requestBody: { required: hasRequired(body), content: json(clean(body)) } } : {}),
    responses: {
      200: { description: 'Done', content: json(envelope(response)) },
      ...(isSend ? { 202: { description: 'Stored', content: json(envelope(ACCEPTED, 202)) } } : {}),
      ...errors(access),
    },
  }
}

/** Any one of these. */
function securityOf(access: Access): Json[] {
  if (access === 'public') return []
  const headers = access === 'owner' ? ['token', 'admin'] : [access === 'admin' ? 'admin' : 'token']
  return [...headers, 'bearer'].map((scheme) => ({ [scheme]: [] }))
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters(body: TSchema): Json[] {
  const { properties = {} } = body as { properties?: Record<string, TSchema> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema: clean(schema) }))
}

function hasRequired(body: TSchema): boolean {
  return ((body as { required?: string[] }).required?.length ?? 0) > 0
}

function envelope(data: TSchema | undefined, code = 200): Json {
  return {
    type: 'object',
    required: ['code', 'data', 'success'],
    properties: { code: { const: code }, data: data ? clean(data) : {}, success: { const: true } },
  }
}

function errors(access: string): Json {
  const skipped = access === 'public' ? ['401', '409', '403', '422', '429', '502', '504'] : []
  const error = { $ref: '#/components/schemas/Error' }
  const shown = Object.entries(ERRORS).filter(([status]) => !skipped.includes(status))
  return Object.fromEntries(
    shown.map(([status, description]) => [status, { description, content: json(error) }]),
  )
}

function webhook(
  type: string,
  { class: kind, summary, schema, beside }: Description['plugins'][number]['events'][string],
): Json {
  const properties = {
    type: { const: type },
    event: schema ? clean(schema) : { type: 'object' },
    state: { type: 'string' },
    ...(clean(beside ?? {}) as Json),
    eventId: { type: 'string', description: 'The same on every attempt' },
    instanceName: { type: 'string' },
    userID: { type: 'string' },
    jid: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
  }
  const body = { type: 'object', required: ['type', 'event', 'eventId'], properties }
  return {
    post: {
      operationId: `event_${type}`,
      summary: `${summary} (class ${kind})`,
      requestBody: { content: json(body) },
      responses: { '2XX': { description: 'Accepted; any other status is retried' } },
    },
  }
}

function json(schema: unknown): Json {
  return { 'application/json': { schema } }
}

/** Schema keywords of the gateway's own normalization. */
const OWN = new Set(['aliases', 'allowEmpty', 'names'])

/** Removes the keywords that only the gateway's own validator understands. */
function clean(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(clean)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([key]) => !OWN.has(key) && !key.startsWith('~'))
  return Object.fromEntries(kept.map(([key, value]) => [key, clean(value)]))
}
