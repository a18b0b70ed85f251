import type { Route } from 'wamux/plugin'
import type { Json } from './components.ts'

/** The part of an OpenAPI operation that is read here. */
export interface RequestOperation {
  summary: string
  description?: string
  security: Record<string, unknown>[]
  parameters: { name: string; in: 'path' | 'query' | 'header'; schema: RequestSchema; example?: unknown }[]
  requestBody?: { content: Record<string, { schema: RequestSchema; example?: unknown }> }
}

export interface RequestSchema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: RequestSchema[]
  items?: RequestSchema
  properties?: Record<string, RequestSchema>
  required?: string[]
  default?: unknown
  examples?: unknown[]
  description?: string
}

/** The header of each security scheme. */
const HEADERS: Readonly<Record<string, string>> = { token: 'token', admin: 'admintoken' }

/** A request with the example, or else the required fields, filled in. */
export function requestOf(
  { method, path, spec }: Route,
  { summary, description, security, parameters, requestBody }: RequestOperation,
  named: Record<string, RequestSchema>,
): Json {
  const { saves = {}, uses = {} } = spec.chain ?? {}
  const shown = (name: string, example: unknown): unknown => (uses[name] ? `{{${uses[name]}}}` : example)
  const given = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, example }) => ({
        key: name,
        value: String(shown(name, example) ?? ''),
        description: schema.description ?? '',
      }))
  // The schemes are alternatives: one is enough.
  const [scheme = {}] = security
  const headers = Object.keys(scheme).map((name) => HEADERS[name] ?? name)
  const body = requestBody?.content['application/json']
  const setters = Object.entries(saves).map(setterOf)
  return {
    name: summary,
    ...(setters.length > 0 ? { event: [script([...setters])] } : {}),
    request: {
      method,
      description: `${method} ${path}${description ? `\n\n${description}` : ''}`,
      header: headers.map((key) => ({ key, value: shown(key, `{{${key}}}`) })),
      url: {
        raw: `{{baseUrl}}${path}`,
        host: ['{{baseUrl}}'],
        path: path.split('/').slice(1),
        query: given('query').map((one) => ({ ...one, ...(one.value === '' ? { disabled: true } : {}) })),
        variable: given('path'),
      },
      ...(body ? { body: rawBody(body.example ?? sampleOf(body.schema, named), shown) } : {}),
    },
  }
}

/** Script that runs with each answer. */
export function script(exec: readonly string[]): Json {
  return { listen: 'test', script: { type: 'text/javascript', exec } }
}

function rawBody(example: unknown, shown: (name: string, value: unknown) => unknown): Json {
  const fields = Object.entries(example as Json).map(([name, value]) => [name, shown(name, value)])
  return {
    mode: 'raw',
    raw: JSON.stringify(Object.fromEntries(fields), null, 2),
    options: { raw: { language: 'json' } },
  }
}

/** A line of that script. */
function setterOf([variable, way]: [string, string]): string {
  const place = way
    .split('.')
    .map((part) => `?.[${JSON.stringify(/^\d+$/.test(part) ? Number(part) : part)}]`)
  return `pm.collectionVariables.set(${JSON.stringify(variable)}, pm.response.json().data${place.join('')} ?? '')`
}

/** The required fields, each with an example, its default or an empty value of its type. */
function sampleOf(schema: RequestSchema, named: Record<string, RequestSchema>): unknown {
  const known = named[schema.$ref?.split('/').at(-1) ?? '']
  if (known) return sampleOf(known, named)
  const { properties, required = [], examples, enum: allowed, anyOf, items } = schema
  const value = examples?.[0] ?? schema.default ?? allowed?.[0]
  if (value !== undefined) return value
  if (anyOf?.[0]) return sampleOf(anyOf[0], named)
  const type = [schema.type ?? (properties ? 'object' : 'string')].flat()[0]
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, sampleOf(properties?.[name] ?? {}, named)]))
  if (type === 'array') return items ? [sampleOf(items, named)] : []
  if (type === 'boolean') return false
  return type === 'integer' || type === 'number' ? 0 : ''
}
