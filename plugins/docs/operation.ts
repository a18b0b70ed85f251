import { Sent } from 'wamux/messaging'
import { type Access, type Description, leavingOf, type Route, T, type TSchema } from 'wamux/plugin'
import type { ComponentSchemas, Json } from './components.ts'
import { errorsOf } from './error-responses.ts'

interface Context {
  plugin: string
  errors: Description['errors']
  schemas: ComponentSchemas
}

const SEND_HEADERS = [
  {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key of your choice: a repeated request with the same key is not sent again, even after a crash, and gets the first answer (`Idempotent-Replay: true`)',
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

/** Of the plugin `confirmation`. */
const UNCONFIRMED = {
  name: 'X-Unconfirmed',
  in: 'header',
  description:
    'For a client that asks a person to confirm calls: what needs no confirmation. Others are refused with UNCONFIRMED; repeat the confirmed request without the header',
  schema: { type: 'string', enum: ['none', 'known-chats', 'reversible'] },
}

const Accepted = T.Object(
  { Details: T.String(), Id: T.String({ description: 'Message id' }) },
  { title: 'Accepted' },
)

/** One route as an OpenAPI operation. */
export function operation(route: Route, { plugin, errors, schemas }: Context): Json {
  const { method, path, spec } = route
  const { access = 'login', summary, description, body, response, example } = spec
  const isGet = method === 'GET'
  const isSend = response === Sent
  const leaves = leavingOf(route)
  const mayBeAsked = 'UNCONFIRMED' in errors && (leaves.size > 0 || spec.isDestructive)
  return {
    operationId: operationId(method, path),
    tags: [plugin],
    summary,
    ...(description ? { description } : {}),
    security: securityOf(access),
    // The scope that a key needs.
    ...(access === 'public' ? {} : { 'x-scope': spec.scope }),
    ...(spec.isDestructive ? { 'x-destructive': true } : {}),
    ...(spec.isIdempotent ? { 'x-idempotent': true } : {}),
    ...(spec.isSensitive ? { 'x-sensitive': true } : {}),
    // What a call lets out of the account, with the fields.
    ...(leaves.size > 0 ? { 'x-leaves': Object.fromEntries(leaves) } : {}),
    parameters: [
      ...pathParameters(path, spec.params),
      ...(isGet && body ? queryParameters(body, example, schemas) : []),
      ...(isSend ? SEND_HEADERS : []),
      ...(mayBeAsked ? [UNCONFIRMED] : []),
    ],
    ...(body && !isGet ? { requestBody: requestBody(body, example, schemas) } : {}),
    ...(spec.upload ? { requestBody: { required: true, content: { [spec.upload]: {} } } } : {}),
    responses: {
      200: { description: 'Done', content: success(response, schemas) },
      ...(isSend ? { 202: { description: 'Stored', content: json(envelope(Accepted, schemas, 202)) } } : {}),
      ...errorsOf(route, { errors, isSend }),
    },
  }
}

/** `POST /send/text` is sendText, `GET /session/status` getSessionStatus, `GET /docs/:file` getDocsByFile. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/:(\w+)/g, 'by-$1')
    .split(/[^a-z0-9]+/i)
    .filter(Boolean)
  const verb = method === 'POST' && words.length > 1 ? [] : [method.toLowerCase()]
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
  return [...verb, ...words].map((word, at) => (at === 0 ? word : capital(word))).join('')
}

/** Any one of these. */
function securityOf(access: Access): Json[] {
  if (access === 'public') return []
  const headers =
    access === 'owner' || access === 'known' ? ['token', 'admin'] : [access === 'admin' ? 'admin' : 'token']
  return [...headers, 'bearer'].map((scheme) => ({ [scheme]: [] }))
}

function pathParameters(path: string, params: Route['spec']['params'] = {}): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', maxLength: 256 },
    ...(params[name] === undefined ? {} : { example: params[name] }),
  }))
}

function queryParameters(body: TSchema, example: unknown, { schemaOf }: ComponentSchemas): Json[] {
  const { properties = {}, required = [] } = body as {
    properties?: Record<string, TSchema>
    required?: string[]
  }
  const given = (example ?? {}) as Json
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && !('default' in schema) ? { required: true } : {}),
    schema: schemaOf(schema),
    ...(name in given ? { example: given[name] } : {}),
  }))
}

function requestBody(body: TSchema, example: unknown, { schemaOf }: ComponentSchemas): Json {
  const { required = [], properties = {} } = body as {
    required?: string[]
    properties?: Record<string, object>
  }
  // A field with a default may be absent, although the gateway's validator requires it, because it runs after defaults are
  // filled in.
  const needed = required.filter((name) => !('default' in (properties[name] ?? {})))
  const { required: _, ...rest } = body as Json
  const schema = schemaOf({ ...rest, ...(needed.length > 0 ? { required: needed } : {}) })
  const isRequired = needed.length > 0
  // Without an example, pages show one with a placeholder in every field.
  const shown = example ?? (isRequired ? undefined : {})
  return {
    required: isRequired,
    content: { 'application/json': { schema, ...(shown ? { example: shown } : {}) } },
  }
}

/** The data in the envelope; a schema with a `contentMediaType` is the answer itself. */
function success(response: TSchema | undefined, schemas: ComponentSchemas): Json {
  const { contentMediaType, ...rest } = (response ?? {}) as { contentMediaType?: string }
  if (!contentMediaType) return json(envelope(response, schemas))
  const isBinary = !/^(text|application\/json)/.test(contentMediaType)
  const type = contentMediaType === 'application/json' ? 'object' : 'string'
  const schema = { type, ...(isBinary ? { format: 'binary' } : {}), ...(schemas.schemaOf(rest) as Json) }
  return { [contentMediaType]: { schema } }
}

function envelope(data: TSchema | undefined, { schemaOf }: ComponentSchemas, code = 200): Json {
  return {
    type: 'object',
    required: ['code', 'data', 'success'],
    properties: { code: { const: code }, data: data ? schemaOf(data) : {}, success: { const: true } },
  }
}

function json(schema: unknown): Json {
  return { 'application/json': { schema } }
}
