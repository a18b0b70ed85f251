import type { Description } from 'wamux/plugin'
import { type ComponentSchemas, createComponents, type Json } from './components.ts'
import { errorResponses, failure } from './error-responses.ts'
import { operation } from './operation.ts'

/** OpenAPI 3.1 of the enabled plugins: paths from routes, webhooks from declared events. */
export function openApi({ version, plugins, errors }: Description): Json {
  const schemas = createComponents()
  const responses = errorResponses(errors)
  const paths: Record<string, Json> = {}
  const webhooks: Json = {}
  for (const { name, routes, events } of plugins) {
    for (const route of routes) {
      const path = route.path.replace(/:(\w+)/g, '{$1}')
      const described = operation(route, { plugin: name, errors, schemas })
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: described }
    }
    for (const [type, declared] of Object.entries(events)) webhooks[type] = webhook(type, declared, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'wamux',
      version,
      description:
        'HTTP interface of WhatsApp accounts. Field names are case-insensitive; those shown are canonical. `null` counts as absent. Unknown fields and query parameters are refused, or, by endpoints for which clients exist, ignored and listed in the header X-Ignored-Fields. Every error has an `errorCode`; its text may change.\n\nOn the network of `wamux sandbox` the examples work unchanged, with the tokens in the files that it prints; to try linking, use the token of a new session (`POST /session/init`). The same requests for Postman: [/docs/postman.json](/docs/postman.json).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this document' }],
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
          description:
            'Token of the administrator; with the header `X-Session` (id or name of a session) also for calls of one session',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A session token, a key (`wmx_…`) or the token of the administrator. A key for several sessions and the token of the administrator are also accepted for calls of one session: the header `X-Session` names it, by id or name.',
        },
      },
      responses,
      schemas: { Error: failure(Object.keys(errors)), ...schemas.named() },
    },
  }
}

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

/** Headers of a delivery; the last two only if its endpoint has a secret. */
const SIGNATURE = [
  header('webhook-id', 'The `eventId`'),
  header('webhook-timestamp', 'When it was signed, Unix seconds'),
  header('webhook-signature', 'According to Standard Webhooks; one for each valid secret'),
  header('x-hmac-signature', 'Hex HMAC-SHA256 of the raw body, keyed with the text of the secret'),
]

function webhook(
  type: string,
  { class: kind, summary, schema, beside }: Description['plugins'][number]['events'][string],
  { schemaOf }: ComponentSchemas,
): Json {
  const properties = {
    type: { const: type },
    event: schema ? schemaOf(schema) : { type: 'object' },
    state: { type: 'string' },
    ...(schemaOf(beside ?? {}) as Json),
    eventId: { type: 'string', description: 'The same on every attempt' },
    instanceName: { type: 'string' },
    userID: { type: 'string' },
    jid: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
  }
  const body = { type: 'object', required: ['type', 'event', 'eventId'], properties }
  return {
    post: {
      operationId: `on${type}`,
      summary: `${summary} (class ${kind})`,
      // A delivery carries no credentials of the receiver: the signature proves its sender.
      security: [],
      parameters: SIGNATURE,
      requestBody: { content: { 'application/json': { schema: body } } },
      responses: { '2XX': { description: 'Accepted; any other status is retried' } },
    },
  }
}
