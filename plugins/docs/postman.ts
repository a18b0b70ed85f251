import type { Description } from 'wamux/plugin'
import { openApi } from './openapi.ts'

type Json = Record<string, unknown>

interface Operation {
  tags: string[]
  summary: string
  description?: string
  security: Record<string, unknown>[]
  parameters: { name: string; in: 'path' | 'query'; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  default?: unknown
  examples?: unknown[]
  description?: string
}

/** The collection variable for each authorization header. */
const HEADERS: Readonly<Record<string, string>> = { token: 'token', admin: 'admintoken' }

/** A Postman collection (2.1) of the interface: one folder for each plugin, with required fields filled in. */
export function postman(description: Description): Json {
  const { info, tags, paths } = openApi(description) as {
    info: { title: string; description: string; version: string }
    tags: { name: string }[]
    paths: Record<string, Record<string, Operation>>
  }
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      item: itemOf(path, method, operation),
    })),
  )
  return {
    info: {
      name: `${info.title} ${info.version}`,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [
      { key: 'baseUrl', value: 'http://localhost:8080' },
      { key: 'token', value: '' },
      { key: 'admintoken', value: '' },
    ],
    item: tags.map(({ name }) => ({
      name,
      item: requests.filter(({ tag }) => tag === name).map(({ item }) => item),
    })),
  }
}

function itemOf(
  path: string,
  method: string,
  { summary, description, security, parameters, requestBody }: Operation,
): Json {
  const segments = path
    .split('/')
    .slice(1)
    .map((part) => part.replace(/^\{(\w+)\}$/, ':$1'))
  const given = (place: string): Json[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema }) => ({ key: name, value: '', description: schema.description ?? '' }))
  const query = given('query').map((one) => ({ ...one, disabled: true }))
  // The schemes are alternatives: one is enough.
  const headers = security.slice(0, 1).flatMap((one) => Object.keys(one).map((name) => HEADERS[name] ?? name))
  const body = requestBody?.content['application/json']?.schema
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description: `${method.toUpperCase()} ${path}${description ? `\n\n${description}` : ''}`,
      header: headers.map((key) => ({ key, value: `{{${key}}}` })),
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}`,
        host: ['{{baseUrl}}'],
        path: segments,
        query,
        variable: given('path'),
      },
      ...(body
        ? {
            body: {
              mode: 'raw',
              raw: JSON.stringify(sampleOf(body), null, 2),
              options: { raw: { language: 'json' } },
            },
          }
        : {}),
    },
  }
}

/** The required fields, each with an example, its default or an empty value of its type. */
function sampleOf(schema: Schema): unknown {
  const { properties, required = [], examples, enum: allowed, anyOf, items } = schema
  const known = examples?.[0] ?? schema.default ?? allowed?.[0]
  if (known !== undefined) return known
  if (anyOf?.[0]) return sampleOf(anyOf[0])
  const type = [schema.type ?? (properties ? 'object' : 'string')].flat()[0]
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, sampleOf(properties?.[name] ?? {})]))
  if (type === 'array') return items ? [sampleOf(items)] : []
  if (type === 'boolean') return false
  return type === 'integer' || type === 'number' ? 0 : ''
}
