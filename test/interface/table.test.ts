import { expect } from 'chai'
import { type EndpointRow, table } from '../../config/build/documents/endpoints.ts'
import type { Route, TSchema } from '../../kernel/plugin.ts'
import { startWorld, type World } from '../support/world.ts'

type Schema = TSchema & {
  type?: string | string[]
  anyOf?: Schema[]
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  aliases?: string[]
}

/** Required, unless its twin is there: the handler says so. */
const REPLACEABLE = new Set(['/send/list List'])

describe('the interface', () => {
  let world: World
  let routes: { plugin: string; route: Route }[]
  let paths: Record<string, Record<string, { requestBody?: unknown; security?: unknown[] }>>
  before(async () => {
    world = await startWorld()
    routes = world.gateway
      .describe()
      .plugins.flatMap(({ name, routes: own }) => own.map((route) => ({ plugin: name, route })))
    ;({ paths } = (await (await fetch(`${world.gateway.url}/openapi.json`)).json()) as {
      paths: typeof paths
    })
  })
  after(() => world.stop())

  it('has 118 rows, each once', () => {
    expect(table).to.have.length(118)
    expect(new Set(table.map(nameOf)).size).to.equal(118)
  })

  for (const row of table) {
    it(`${nameOf(row)} is a route of one plugin, with its access and fields, and in the OpenAPI`, () => {
      const found = routes.filter(({ route }) => route.method === row.method && route.path === row.path)
      expect(found, 'registered by').to.have.length(1)
      const spec = found[0]?.route.spec
      expect(spec?.access ?? 'login').to.equal(row.access)
      const body = (spec?.body ?? {}) as Schema
      for (const { name, type, required } of row.fields) {
        const field = fieldOf(body, name)
        expect(field, `field ${name}`).to.be.an('object')
        expect(typesOf(field), `type of ${name}`).to.include.members(wanted(type))
        if (required && !REPLACEABLE.has(`${row.path} ${name}`))
          expect(body.required ?? [], `required ${name}`).to.include(name)
      }
      const operation = paths[row.path]?.[row.method.toLowerCase()]
      expect(operation, 'OpenAPI').to.be.an('object')
      expect(operation?.security).to.deep.equal(securityOf(row))
    })
  }
})

function nameOf({ method, path }: EndpointRow): string {
  return `${method} ${path}`
}

/** By its own name, or as an alias of another. */
function fieldOf({ properties = {} }: Schema, name: string): Schema | undefined {
  return properties[name] ?? Object.values(properties).find(({ aliases }) => aliases?.includes(name))
}

function securityOf({ access }: EndpointRow): unknown[] {
  if (access === 'public') return []
  return [{ [access === 'admin' ? 'admin' : 'token']: [] }, { bearer: [] }]
}

/** `so` is a string or an object, `s[]` a list of strings. */
function wanted(type: string): string[] {
  const names = {
    s: ['string'],
    b: ['boolean'],
    n: ['number'],
    i: ['integer'],
    o: ['object'],
    so: ['string', 'object'],
  }
  const list = { 's[]': ['string[]'], 'o[]': ['object[]'] }
  return { ...names, ...list }[type] ?? [type]
}

/** What a schema takes; a whole number is a number, too. */
function typesOf(schema: Schema | undefined): string[] {
  if (!schema) return []
  if (schema.enum) return schema.enum.map((one) => (typeof one === 'number' ? 'integer' : typeof one))
  if (schema.anyOf) return schema.anyOf.flatMap(typesOf)
  const types = [schema.type ?? (schema.properties ? 'object' : 'string')].flat()
  return types.flatMap((type) => {
    if (type === 'array') return typesOf(schema.items).map((item) => `${item}[]`)
    return type === 'integer' ? ['integer', 'number'] : [type]
  })
}
