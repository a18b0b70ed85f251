import type { TSchema } from 'typebox'

interface Shape {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  allowEmpty?: boolean
  words?: string[]
  aliases?: string[]
  properties?: Record<string, Shape>
  additionalProperties?: unknown
  items?: Shape
  anyOf?: Shape[]
}

/** Called with the dotted path of a field that is not in the schema, and the names that its object has. */
export type OnUnknown = (path: string, known: readonly string[]) => void

/** The position of a value in its body, from which its path is built on demand. */
interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
}

type Normalize<V = unknown> = (value: V, place: Place | undefined, onUnknown: OnUnknown) => unknown

interface Field {
  readonly normalize: Normalize
  /** Whether a value means "absent", as sent by typed clients. */
  isBlank(value: unknown): boolean
}

/**
 * Creates a function that converts a body to the spelling and types of its schema, without validating it:
 *
 * - keys match exactly, then case-insensitively, then by `aliases`; unknown ones are reported and left out;
 * - `null` and `""` are absent, unless the schema accepts them (a type `null`, `allowEmpty`, `""` among its values);
 * - text becomes a number or a boolean, a number text of format `phone` or `id`, one value a list of one;
 * - text with a fixed set of values (`enum`, `const`, `words`) may be in any case.
 *
 * A value that doesn't fit is left to the validator. Everything that depends only on the schema is computed once.
 */
export function normalizer(schema: TSchema): (body: unknown, onUnknown: OnUnknown) => unknown {
  const normalize = normalizeOf(schema as Shape)
  return (body, onUnknown) => normalize(body, undefined, onUnknown)
}

function normalizeOf(shape: Shape): Normalize {
  const branches = shape.anyOf ?? [shape]
  const objects = branches.filter(({ properties }) => properties)
  const object = objects.length > 0 ? objectOf(objects) : undefined
  const list = branches.find(({ items }) => items)
  const array = list?.items && arrayOf(list.items)
  const isLoose = branches.some(isLooseText)
  const types = typesOf(shape)
  const isText = types.has('string')
  const spell = spellingOf(branches)
  return (value, place, onUnknown) => {
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value)) return array ? array(value, place, onUnknown) : value
      return object ? object(value, place, onUnknown) : value
    }
    if (isExact(value) && isLoose && !types.has('number')) return String(value)
    if (typeof value === 'string' && !isText) {
      if (types.has('number')) return parseNumber(value)
      if (types.has('boolean')) return parseBoolean(value)
    }
    if (typeof value === 'string' && spell) return spell(value)
    const isOne =
      typeof value === 'string' || (typeof value === 'number' && list?.items && isLooseText(list.items))
    return array && isOne && !isText ? array([value], place, onUnknown) : value
  }
}

function arrayOf(items: Shape): Normalize<unknown[]> {
  const { normalize, isBlank } = fieldOf(items)
  // Leaving out an item would shift the others: a blank one becomes null, which the validator refuses.
  return (value, place, onUnknown) =>
    value.map((item, key) => (isBlank(item) ? null : normalize(item, { parent: place, key }, onUnknown)))
}

/** Maps a text to the value that differs from it only in case; undefined if any text is allowed. */
function spellingOf(branches: readonly Shape[]): ((text: string) => string) | undefined {
  const texts = branches.filter((branch) => typesOf(branch).has('string'))
  const valuesOf = ({ enum: listed, const: value, words }: Shape): unknown[] =>
    listed ?? words ?? (value === undefined ? [] : [value])
  const values = texts.flatMap(valuesOf).filter((one) => typeof one === 'string')
  if (values.length === 0 || texts.some((branch) => valuesOf(branch).length === 0)) return undefined
  const exact = new Set(values)
  const loose = new Map<string, string | undefined>()
  for (const value of exact) {
    const lower = value.toLowerCase()
    loose.set(lower, loose.has(lower) ? undefined : value)
  }
  const longest = Math.max(...values.map(({ length }) => length))
  return (text) => {
    if (exact.has(text) || text.length > longest) return text
    return loose.get(text.toLowerCase()) ?? text
  }
}

/** A union has the fields of all its branches; the validator checks whether they belong together. */
function objectOf(branches: readonly Shape[]): Normalize {
  const entries = branches.flatMap(({ properties = {} }) => Object.entries(properties))
  const fields = new Map(entries.map(([name, shape]) => [name, fieldOf(shape)]))
  const names = looseNames(entries)
  const longest = Math.max(0, ...[...names.keys()].map((name) => name.length))
  const known = [...fields.keys()]
  const isOpen = branches.some(({ additionalProperties }) => additionalProperties !== undefined)

  return (value, place, onUnknown) => {
    // No prototype: "__proto__" is an unknown field like any other.
    const result: Record<string, unknown> = Object.create(null)
    const given = value as Record<string, unknown>
    const set = (name: string, key: string): void => {
      const field = fields.get(name)
      if (field && !field.isBlank(given[key]))
        result[name] = field.normalize(given[key], { parent: place, key: name }, onUnknown)
    }
    const others: string[] = []
    for (const key of Object.keys(given)) {
      if (fields.has(key)) set(key, key)
      else others.push(key)
    }
    for (const key of others) {
      const candidates = key.length > longest ? undefined : names.get(key.toLowerCase())
      const name = candidates?.find((candidate) => !(candidate in result))
      if (name !== undefined) set(name, key)
      else if (isOpen) result[key] = given[key]
      else onUnknown(pathOf({ parent: place, key }), known)
    }
    return result
  }
}

/** Names by their lower-case spellings: a field's own name comes before the aliases of other fields. */
function looseNames(entries: readonly [string, Shape][]): Map<string, string[]> {
  const names = new Map<string, string[]>()
  const add = (spelling: string, name: string): void => {
    const known = names.get(spelling.toLowerCase()) ?? []
    if (!known.includes(name)) names.set(spelling.toLowerCase(), [...known, name])
  }
  for (const [name] of entries) add(name, name)
  for (const [name, { aliases = [] }] of entries) for (const alias of aliases) add(alias, name)
  return names
}

function fieldOf(shape: Shape): Field {
  const branches = shape.anyOf ?? [shape]
  const types = typesOf(shape)
  const takesNull = types.has('null') || types.size === 0
  const takesEmpty = types.size === 0 || branches.some(isEmptyAllowed)
  return {
    normalize: normalizeOf(shape),
    isBlank: (value) => (value === null ? !takesNull : value === '' && !takesEmpty),
  }
}

function isEmptyAllowed(shape: Shape): boolean {
  return shape.allowEmpty === true || shape.const === '' || (shape.enum?.includes('') ?? false)
}

/** JSON.parse rounds longer numbers. */
function isExact(value: unknown): value is number {
  return typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

function isLooseText(shape: Shape): boolean {
  return shape.type === 'string' && (shape.format === 'phone' || shape.format === 'id')
}

/** JSON types that a schema accepts, integers as `number`; none if it has no type. */
function typesOf({ type, enum: values, const: value, anyOf, properties, items }: Shape): Set<string> {
  if (anyOf) return new Set(anyOf.flatMap((branch) => [...typesOf(branch)]))
  if (type) return new Set([type].flat().map((name) => (name === 'integer' ? 'number' : name)))
  if (properties) return new Set(['object'])
  if (items) return new Set(['array'])
  const listed = values ?? (value === undefined ? [] : [value])
  return new Set(listed.map((one) => (one === null ? 'null' : typeof one)))
}

function pathOf({ parent, key }: Place): string {
  return parent ? `${pathOf(parent)}.${key}` : String(key)
}

/** Longer text is not meant as a number. */
const MAX_DIGITS = 40
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/** The number in a decimal text; any other text unchanged. */
function parseNumber(text: string): unknown {
  if (text.length > MAX_DIGITS) return text
  const digits = text.trim()
  const number = Number(digits)
  return NUMBER.test(digits) && Number.isFinite(number) ? number : text
}

/** The boolean in a text, in any case; any other text unchanged. */
function parseBoolean(text: string): unknown {
  if (/^true$/i.test(text)) return true
  return /^false$/i.test(text) ? false : text
}
