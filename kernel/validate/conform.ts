import type { TSchema } from 'typebox'

interface Shape {
  type?: string | string[]
  format?: string
  aliases?: string[]
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
}

/**
 * Brings a body into the schema's spelling, without judging it: keys match exactly, then case-insensitively,
 * then by `aliases`; "true" and "false" stand for booleans; a number stands for text in fields of format
 * `phone` and `id`; one value stands for a list of one. Whatever doesn't fit stays as it is for the validator.
 */
export function conform(value: unknown, schema: TSchema): unknown {
  return mold(value, schema as Shape)
}

function mold(value: unknown, shape: Shape): unknown {
  if (shape.properties && isObject(value)) return rename(value, shape.properties)
  if (shape.type === 'array') return moldList(value, shape)
  if (shape.type === 'boolean' && typeof value === 'string') return truth(value)
  if (shape.type === 'string' && typeof value === 'number' && isLoose(shape)) return String(value)
  if (shape.anyOf && isObject(value)) return moldUnion(value, shape.anyOf)
  return value
}

function moldList(value: unknown, shape: Shape): unknown {
  const isOne =
    typeof value === 'string' || (typeof value === 'number' && shape.items && isLoose(shape.items))
  const list = isOne ? [value] : value
  const { items } = shape
  return Array.isArray(list) && items ? list.map((item) => mold(item, items)) : list
}

/** An object in a union is renamed by the first branch that is an object; branches share their names here. */
function moldUnion(value: Record<string, unknown>, branches: readonly Shape[]): unknown {
  const branch = branches.find((candidate) => candidate.properties)
  return branch ? mold(value, branch) : value
}

function rename(value: Record<string, unknown>, properties: Record<string, Shape>): Record<string, unknown> {
  // No prototype: a field called "__proto__" is a field like any other, and unknown.
  const result: Record<string, unknown> = Object.create(null)
  const open = new Map(Object.entries(properties))
  const rest: [string, unknown][] = []
  const take = (name: string, field: unknown): void => {
    const shape = open.get(name)
    open.delete(name)
    result[name] = shape ? mold(field, shape) : field
  }
  for (const [key, field] of Object.entries(value)) {
    if (open.has(key)) take(key, field)
    else rest.push([key, field])
  }
  for (const [key, field] of rest) take(nameFor(key, open) ?? key, field)
  return result
}

function nameFor(key: string, open: ReadonlyMap<string, Shape>): string | undefined {
  const lower = key.toLowerCase()
  for (const name of open.keys()) if (name.toLowerCase() === lower) return name
  for (const [name, shape] of open) {
    if (shape.aliases?.some((alias) => alias.toLowerCase() === lower)) return name
  }
  return undefined
}

function truth(text: string): unknown {
  if (text === 'true') return true
  return text === 'false' ? false : text
}

function isLoose(shape: Shape): boolean {
  return shape.type === 'string' && (shape.format === 'phone' || shape.format === 'id')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
