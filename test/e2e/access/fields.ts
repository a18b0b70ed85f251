import { fieldsOf, type Shape, sampleOf } from '../../../config/build/documents/samples.ts'
import type { Route } from '../../../kernel/plugin.ts'

/** A place of a request in which a client puts a text. */
export interface TextField {
  /** `ContextInfo.StanzaId`, `Id.0`, `:id` of the path. */
  readonly name: string
  /** The request with another text there. */
  put(base: Parts, text: string): Parts
}

/** What a request has beside its credentials. */
export interface Parts {
  readonly params: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, unknown>>
}

type Place = readonly (string | number)[]

/** Every text of the path and of the body, or of the query of a GET, at any depth; of lists the first item. */
export function textFieldsOf({ path, spec }: Route): TextField[] {
  const shape = (spec.body ?? {}) as Shape
  return [
    ...[...path.matchAll(/:(\w+)/g)]
      .map(([, name = '']) => ofPath(name))
      .filter(({ name }) => name !== ':version'),
    ...textsIn(shape, []).map((place) => ofBody(shape, place)),
  ]
}

/** The address of the request; a GET has its fields there. */
export function addressOf({ method, path }: Route, { params, fields }: Parts): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const query = method === 'GET' ? new URLSearchParams(flat(fields)).toString() : ''
  return query ? `${filled}?${query}` : filled
}

function ofPath(name: string): TextField {
  return {
    name: `:${name}`,
    put: ({ params, fields }, text) => ({ params: { ...params, [name]: text }, fields }),
  }
}

function ofBody(shape: Shape, place: Place): TextField {
  return {
    name: place.join('.'),
    put: ({ params, fields }, text) => ({ params, fields: set(structuredClone(fields), shape, place, text) }),
  }
}

function textsIn(shape: Shape, place: Place): Place[] {
  const { properties, items, anyOf, type, enum: values, const: value } = shape
  if (anyOf) return unique(anyOf.flatMap((branch) => textsIn(branch, place)))
  if (properties) return Object.entries(properties).flatMap(([name, one]) => textsIn(one, [...place, name]))
  if (items) return textsIn(items, [...place, 0])
  // A text that is one of a list is refused whatever else it is.
  const isText = [type].flat().includes('string') && !values && value === undefined
  return isText && place.length > 0 ? [place] : []
}

function unique(places: readonly Place[]): Place[] {
  return [...new Map(places.map((place) => [place.join('.'), place])).values()]
}

/** Puts the text there; objects on the way to it are made as the schema requires them. */
function set(
  fields: Record<string, unknown>,
  shape: Shape,
  [name = '', ...rest]: Place,
  text: string,
): Record<string, unknown> {
  const inner = innerOf(shape, name)
  const holder = fields as Record<string | number, unknown>
  if (rest.length === 0) holder[name] = text
  else {
    const known = holder[name]
    const isThere = typeof known === 'object' && known !== null
    const made = isThere ? known : (sampleOf(inner, rest) as Record<string, unknown>)
    holder[name] = set(made as Record<string, unknown>, inner, rest, text)
  }
  return fields
}

function innerOf(shape: Shape, name: string | number): Shape {
  if (shape.items) return shape.items
  const own = shape.properties?.[String(name)]
  const branches = own ? [] : fieldsOf(shape).map(([one]) => one.properties?.[String(name)])
  return (
    own ?? branches.find((one) => one !== undefined) ?? shape.anyOf?.find(({ items }) => items)?.items ?? {}
  )
}

function flat(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join() : String(value),
    ]),
  )
}
