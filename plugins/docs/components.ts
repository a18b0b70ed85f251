import { isDeepStrictEqual } from 'node:util'

export type Json = Record<string, unknown>

export interface ComponentSchemas {
  /** The schema in OpenAPI's form: one with a `title` becomes a component with a reference to it. */
  schemaOf(schema: unknown): unknown
  /** The components created by `schemaOf`, by name. */
  named(): Json
}

/** Schema keywords of the gateway's own normalization; `maxSize` is shown as an extension. */
const OWN = new Set(['aliases', 'allowEmpty', 'leaves', 'names', 'words'])

/** Collects named schemas, so that each is described once. */
export function createComponents(): ComponentSchemas {
  const made = new Map<string, unknown>()
  const schemaOf = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(schemaOf)
    if (typeof schema !== 'object' || schema === null) return schema
    const kept = Object.entries(schema).filter(([key]) => !OWN.has(key) && !key.startsWith('~'))
    const clean = Object.fromEntries(
      kept.map(([key, value]) => [key === 'maxSize' ? 'x-max-size' : key, schemaOf(value)]),
    )
    const { title } = clean
    // A property can also have that name; as a keyword its value is text.
    if (typeof title !== 'string' || !/^\w+$/.test(title)) return clean
    if (!made.has(title)) made.set(title, clean)
    // If two different schemas have the same title, only the first becomes a component.
    return isDeepStrictEqual(made.get(title), clean) ? { $ref: `#/components/schemas/${title}` } : clean
  }
  return { schemaOf, named: () => Object.fromEntries(made) }
}
