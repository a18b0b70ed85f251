/** What of JSON schema the bodies of the interface use. */
export interface Shape {
  type?: string | string[]
  pattern?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  minItems?: number
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  anyOf?: Shape[]
}

/** Of these the first that a pattern takes. */
const WORDS = ['word', 'BRL', 'BR', '5511999999999', 'https://example.com/']

/**
 * A value that the schema takes, of the required fields only.
 *
 * @param place leads to one that must be there, too.
 */
export function sampleOf(shape: Shape, place: readonly (string | number)[] = []): unknown {
  const [next, ...rest] = place
  if (shape.anyOf) {
    const branch = next === undefined ? shape.anyOf[0] : shape.anyOf.find(({ properties }) => properties)
    return sampleOf(branch ?? {}, place)
  }
  if (shape.const !== undefined) return shape.const
  if (shape.enum) return shape.enum[0]
  if (shape.properties) {
    const { properties, required = [] } = shape
    const names = new Set([...required, ...(next !== undefined && next in properties ? [String(next)] : [])])
    return Object.fromEntries(
      [...names].map((name) => [name, sampleOf(properties[name] ?? {}, name === next ? rest : [])]),
    )
  }
  if (shape.items) {
    const least = Math.max(1, shape.minItems ?? 1)
    return Array.from({ length: least }, () => sampleOf(shape.items ?? {}, rest))
  }
  return simple(shape)
}

/** Of the formats that are more than a kind of text. */
const FORMATS: Readonly<Record<string, string>> = {
  email: 'shop@example.com',
  uri: 'https://example.com/',
  'date-time': '2026-01-31T12:00:00Z',
}

function simple({ type, pattern, format, minimum }: Shape): unknown {
  const types = [type].flat()
  const formatted = FORMATS[format ?? '']
  if (types.includes('string') && formatted) return formatted
  if (types.includes('string')) return WORDS.find((word) => new RegExp(pattern ?? '').test(word)) ?? 'word'
  if (types.includes('integer') || types.includes('number')) return Math.max(1, minimum ?? 1)
  return types.includes('boolean') ? true : {}
}

/** The objects in a field, with the way to them. */
export function fieldsOf(shape: Shape): [inner: Shape, path: (string | number)[]][] {
  if (shape.anyOf) return shape.anyOf.flatMap(fieldsOf)
  if (shape.properties) return [[shape, []]]
  return shape.items ? fieldsOf(shape.items).map(([inner, path]) => [inner, [0, ...path]]) : []
}

/** JSON types that a field takes, whole numbers as `number`. */
export function typesOf({ type, enum: values, const: value, anyOf, properties, items }: Shape): Set<string> {
  if (anyOf) return new Set(anyOf.flatMap((branch) => [...typesOf(branch)]))
  if (properties) return new Set(['object'])
  if (items) return new Set(['array'])
  if (type) return new Set([type].flat().map((name) => (name === 'integer' ? 'number' : name)))
  return new Set((values ?? [value]).map((one) => typeof one))
}
