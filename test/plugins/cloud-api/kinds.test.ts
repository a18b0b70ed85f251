import { expect } from 'chai'
import { type Shape, sampleOf } from '../../../config/build/documents/samples.ts'
import type { Route } from '../../../kernel/plugin.ts'
import { each } from '../../e2e/access/requests.ts'
import { isWhole } from '../../support/run/whole.ts'
import { type Cloud, openCloud } from './cloud.ts'

type Place = readonly (string | number)[]
type Json = Record<string, unknown>

/** Values of every kind, most of which a field does not take. */
const VALUES: readonly unknown[] = [null, 0, -1.5, true, '', 'x', [], [null], [[]], {}, { a: null }, [{}]]
/** In a plain run the first, and another one in its turn. */
const valuesFor = (turn: number): readonly unknown[] =>
  isWhole ? VALUES : [VALUES[0], VALUES[1 + ((turn / 2) % (VALUES.length - 1))]]
/** Of a message, the kinds that an `interactive` may be of. */
const INTERACTIVE = ['button', 'list', 'cta_url', 'location_request_message']
/** Some say that the other side does not have WhatsApp, or that a link answers nothing: no 5xx but these is of a body's making. */
const CODES = [100, 131008, 131009, 131051, 131053, 132000, 132001, 131026, 2200]

describe('a value of any kind in any field of a body of the Cloud API', function () {
  this.timeout(300_000)
  let cloud: Cloud
  before(async () => {
    cloud = await openCloud()
    const components = [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Hello {{1}}' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://shop.example/{{1}}' }] },
    ]
    for (const [name, body] of Object.entries({ word: components, plain: components.slice(1, 2) }))
      await cloud.graph('POST', `/v23.0/${cloud.number}/message_templates`, {
        ...{ name, language: 'word', components: body },
      })
  })
  after(() => cloud.stop())

  const routes = (): Route[] =>
    cloud.world.gateway
      .describe()
      .plugins.filter(({ name }) => name === 'cloud-api')
      .flatMap((plugin) => plugin.routes)
      .filter(({ path, spec }) => path.startsWith('/v:version') && spec.body)

  /** Bodies that are right, as far as the schema says, and have that place. */
  function bases(shape: Shape, place: Place): Json[] {
    const body = sampleOf(shape, place) as Json
    if (!('messaging_product' in body)) return [body]
    const kind = String(place[0])
    const message = { ...body, to: cloud.ana.account.phone, type: kind }
    if (kind === 'interactive')
      return INTERACTIVE.map((type) => ({
        ...message,
        interactive: {
          ...(filled(shape.properties?.['interactive'] ?? {}) as Json),
          ...(body['interactive'] as Json),
          type,
        },
      }))
    const isPart = typeof body[kind] === 'object'
    return isPart ? [message, { ...message, [kind]: filled(shape.properties?.[kind] ?? {}) }] : [message]
  }

  it('is an error in the form of Graph, or taken: never a fault of the gateway', async () => {
    const faults: string[] = []
    let count = 0
    const tried: { path: string; body: Json; what: string }[] = []
    for (const { method, path, spec } of routes()) {
      const shape = spec.body as Shape
      const address = path.replace(':version', '23.0').replace(':id', cloud.number)
      for (const place of placesIn(shape))
        for (const base of bases(shape, place))
          for (const value of valuesFor(tried.length)) {
            const body = put(structuredClone(base), place, value)
            tried.push({
              path: address,
              body,
              what: `${method} ${path} ${place.join('.')} = ${JSON.stringify(value)}`,
            })
          }
    }
    await each(tried, 8, async ({ path, body, what }) => {
      count += 1
      const answer = await cloud.graph('POST', path, body)
      if (answer.status === 200) return
      const { error } = answer.body
      const isGraph = error?.type === 'OAuthException' && typeof error.fbtrace_id === 'string'
      if (answer.status >= 500 || !isGraph || !CODES.includes(error.code))
        faults.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)} for ${JSON.stringify(body)}`)
    })
    expect(faults, `${faults.length} of ${count}:\n${faults.slice(0, 20).join('\n')}`).to.have.length(0)
    expect(count).to.be.above(isWhole ? 1_000 : 250)
    const failed = cloud.world.gateway.lines.filter(
      (line) => line.includes('failed') && line.includes('"level":50'),
    )
    expect(failed).to.deep.equal([])
  })

  it('is an error in what Graph leaves open, too: contacts, and parameters of templates', async () => {
    const name = { formatted_name: 'Ana' }
    const contacts = [
      ...[null, 'x', [null], [{ phone: null }], [{ phone: {} }], [{ type: 5 }], [[]]].map((phones) => ({
        phones,
      })),
      ...[[null], [{ email: {} }], 5].map((emails) => ({ emails })),
      ...[[null], [{ url: [] }]].map((urls) => ({ urls })),
      ...[null, 5, { company: {} }].map((org) => ({ org })),
      { birthday: {} },
      { name: { ...name, first_name: {} } },
      { name: null },
    ].map((one) => ({ type: 'contacts', contacts: [{ name, ...one }] }))
    const parameters = [
      null,
      5,
      [null],
      [{ text: {} }],
      [{ text: null }],
      [{ currency: 5 }],
      [{ image: 5 }],
      [[]],
    ]
    const components = [
      ...parameters.flatMap((one) => ['header', 'body', 'button'].map((type) => ({ type, parameters: one }))),
      { type: 5, parameters: [] },
      { type: 'button', index: {}, parameters: [{ text: 'x' }] },
      null,
    ].flatMap((one) =>
      ['word', 'plain'].map((template) => ({
        type: 'template',
        template: { name: template, language: { code: 'word' }, components: [one] },
      })),
    )
    const faults: string[] = []
    await each([...contacts, ...components], 4, async (message) => {
      const { status, body } = await cloud.send(message)
      if (status !== 200 && !(status < 500 && CODES.includes(body.error?.code)))
        faults.push(`${JSON.stringify(message)}: ${status} ${JSON.stringify(body)}`)
    })
    expect(faults, faults.join('\n')).to.have.length(0)
  })
})

/** Every field of a body, and every item of a list, at any depth. */
function placesIn({ properties, items, anyOf }: Shape, place: Place = []): Place[] {
  if (anyOf) return anyOf.flatMap((branch) => placesIn(branch, place))
  const inner: [string | number, Shape][] = [
    ...Object.entries(properties ?? {}),
    ...(items ? [[0, items] as [number, Shape]] : []),
  ]
  return inner.flatMap(([name, shape]) => [[...place, name], ...placesIn(shape, [...place, name])])
}

/** A value with all fields. */
function filled(shape: Shape): unknown {
  if (shape.properties)
    return Object.fromEntries(Object.entries(shape.properties).map(([name, one]) => [name, filled(one)]))
  return shape.items ? [filled(shape.items)] : sampleOf(shape)
}

function put(body: Json, place: Place, value: unknown): Json {
  let at = body as Record<string | number, unknown>
  for (const [index, name] of place.entries()) {
    if (index === place.length - 1) at[name] = value
    else {
      if (typeof at[name] !== 'object' || at[name] === null)
        at[name] = typeof place[index + 1] === 'number' ? [] : {}
      at = at[name] as Record<string | number, unknown>
    }
  }
  return body
}
