import type { Description } from 'wamux/plugin'
import { openApi } from './openapi.ts'

type Json = Record<string, unknown>

interface Operation {
  tags: string[]
  summary: string
  description?: string
  security: Record<string, unknown>[]
  parameters: { name: string; in: 'path' | 'query'; schema: Schema; example?: unknown }[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
}

interface Schema {
  $ref?: string
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

/** A Postman collection (2.1) of the interface: one folder for each plugin, with examples, or else the required fields, filled in. */
export function postman(description: Description): Json {
  const { info, tags, paths, components } = openApi(description) as {
    info: { title: string; description: string; version: string }
    tags: { name: string }[]
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Schema> }
  }
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      item: itemOf(path, method, operation, components.schemas),
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
  named: Record<string, Schema>,
): Json {
  const segments = path
    .split('/')
    .slice(1)
    .map((part) => part.replace(/^\{(\w+)\}$/, ':$1'))
  const given = (place: string): Json[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, example = '' }) => ({
        key: name,
        value: String(example),
        description: schema.description ?? '',
      }))
  const query = given('query').map((one) => ({ ...one, disabled: true }))
  // The schemes are alternatives: one is enough.
  const headers = security.slice(0, 1).flatMap((one) => Object.keys(one).map((name) => HEADERS[name] ?? name))
  const body = requestBody?.content['application/json']
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
              raw: JSON.stringify(body.example ?? sampleOf(body.schema, named), null, 2),
              options: { raw: { language: 'json' } },
            },
          }
        : {}),
    },
  }
}

/** The required fields, each with an example, its default or an empty value of its type. */
function sampleOf(schema: Schema, named: Record<string, Schema>): unknown {
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
