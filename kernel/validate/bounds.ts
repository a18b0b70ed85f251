import type { TSchema } from 'typebox'
import { KINDS, kindOf } from './kinds.ts'

/** Default limits: items of a list, fields of a record and characters of their names. */
const MAX_ITEMS = 10_000
const MAX_FIELDS = 1_000
const MAX_NAME = 256
/** Default limit of the characters of all names and texts in a value of any shape. */
const MAX_SIZE = KINDS.text.longest

interface Shape {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  maxLength?: number
  maxSize?: number
  maxItems?: number
  maxProperties?: number
  properties?: Record<string, Shape>
  patternProperties?: Record<string, Shape>
  additionalProperties?: boolean | Shape
  propertyNames?: Shape
  items?: Shape
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
  $ref?: string
}

export interface Bounded {
  /** The schema with a bound on everything. */
  readonly schema: TSchema
  /** Faults by path: values without a bound or with an unknown kind. */
  readonly faults: readonly string[]
}

/**
 * Gives each text, list and open value of a request's schema a bound: its own, or else the one of its kind.
 *
 * @param bodyLimit no bound is larger.
 */
export function bounded(schema: TSchema, bodyLimit: number): Bounded {
  const byLimit = known.get(schema) ?? new Map<number, Bounded>()
  known.set(schema, byLimit)
  const found = byLimit.get(bodyLimit) ?? make(schema as Shape, bodyLimit)
  byLimit.set(bodyLimit, found)
  return found
}

/** Schemas are module constants, so their bounded copies are kept and compiled once. */
const known = new WeakMap<TSchema, Map<number, Bounded>>()

function make(root: Shape, bodyLimit: number): Bounded {
  const faults: string[] = []
  const atMost = (given: number | undefined, otherwise: number): number =>
    Math.min(given ?? otherwise, bodyLimit)

  /** @param isBounded by the enclosing union. */
  function text(shape: Shape, path: string, isBounded: boolean): Shape {
    const { format = '', maxLength } = shape
    if (isBounded && !format && maxLength === undefined) return shape
    const place = path || 'body'
    const kind = kindOf(format)
    if (format && !kind) faults.push(`${place} has the unknown format "${format}"; ${CHOICE}`)
    else if (!kind && maxLength === undefined) faults.push(`${place} has no bound; ${CHOICE}`)
    return { ...shape, maxLength: atMost(maxLength, kind?.longest ?? 0) }
  }

  /** @param isExact its unknown fields are not left out before it is validated (normalize.ts). */
  function object(shape: Shape, path: string, isExact: boolean): Shape {
    const { patternProperties = {}, ...rest } = shape
    // A TypeBox record, whose pattern does not match names with a line break.
    const { '^.*$': any, ...patterns } = patternProperties
    const others = any ?? rest.additionalProperties
    const made: Shape = { ...rest }
    if (rest.properties) made.properties = visitAll(rest.properties, path, isExact)
    const isClosed = others === false || (others === undefined && rest.properties !== undefined && !isExact)
    if (Object.keys(patterns).length > 0) made.patternProperties = patternProperties
    else if (isClosed) return made
    else if (typeof others === 'object' && Object.keys(others).length > 0) {
      made.additionalProperties = visit(others, `${path}.*`, isExact)
      made.propertyNames = rest.propertyNames ?? { maxLength: MAX_NAME }
      made.maxProperties = rest.maxProperties ?? MAX_FIELDS
      return made
    }
    return { ...made, maxSize: atMost(shape.maxSize, MAX_SIZE) }
  }

  const visitAll = (fields: Record<string, Shape>, path: string, isExact: boolean): Record<string, Shape> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        visit(field, path ? `${path}.${name}` : name, isExact),
      ]),
    )

  function visit(shape: Shape, path: string, isExact: boolean, isBounded = false): Shape {
    const { anyOf, oneOf, allOf, items } = shape
    if (shape.$ref !== undefined) faults.push(`${path || 'body'} has a $ref, which has no bound`)
    if (shape.enum || shape.const !== undefined) return shape
    const hasBound = isBounded || shape.maxLength !== undefined
    if (anyOf) return { ...shape, anyOf: anyOf.map((one) => visit(one, path, isExact, hasBound)) }
    if (oneOf) return { ...shape, oneOf: oneOf.map((one) => visit(one, path, true, hasBound)) }
    if (allOf) return { ...shape, allOf: allOf.map((one) => visit(one, path, true, hasBound)) }
    const types = typesOf(shape)
    if (types.length === 0) return { ...shape, maxSize: atMost(shape.maxSize, MAX_SIZE) }
    let made = shape
    if (types.includes('string')) made = text(made, path, isBounded)
    if (types.includes('object')) made = object(made, path, isExact)
    if (types.includes('array')) {
      const each = items ? visit(items, `${path}[]`, isExact) : { maxSize: atMost(shape.maxSize, MAX_SIZE) }
      made = { ...made, items: each, maxItems: made.maxItems ?? MAX_ITEMS }
    }
    return made
  }

  const schema = visit(root, '', false) as TSchema
  return { schema, faults }
}

const CHOICE = `give it a maxLength, or one of these as its format: ${Object.keys(KINDS).join(', ')}`

/** JSON types of a schema; none if it accepts any value. */
function typesOf({ type, properties, items }: Shape): string[] {
  if (type) return [type].flat()
  if (properties) return ['object']
  return items ? ['array'] : []
}

/** The characters of all names and texts in a value, with one for each other value; counting stops above `most`. */
export function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  const isList = Array.isArray(value)
  let size = 1
  for (const [name, inner] of isList ? value.entries() : Object.entries(value)) {
    size += (isList ? 0 : String(name).length) + sizeOf(inner, most - size)
    if (size > most) return size
  }
  return size
}
