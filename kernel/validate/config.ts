import type { TSchema } from 'typebox'
import { fieldOf, newAjv } from './ajv.ts'

/**
 * Checks configuration: fills defaults, lets text from the environment stand for numbers and booleans,
 * refuses unknown keys. Returns the frozen result, or every fault in words.
 */
export function checkConfig(
  schema: TSchema | undefined,
  given: Record<string, unknown>,
): { config: Record<string, unknown> } | { faults: string[] } {
  if (!schema && Object.keys(given).length === 0) return { config: Object.freeze({}) }
  const config = structuredClone(given)
  const ajv = newAjv({ allErrors: true })
  ajv.opts.coerceTypes = 'array'
  const validate = ajv.compile(
    forbidUnknown({ type: 'object', properties: {}, ...schema, additionalProperties: false }),
  )
  if (validate(config)) return { config: freeze(config) }
  const faults = (validate.errors ?? []).map((error) => {
    const { keyword, params } = error
    const known = Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
    if (keyword === 'additionalProperties') {
      return `unknown key "${fieldOf(error, params['additionalProperty'])}"; known: ${known.join(', ') || 'none'}`
    }
    const values = [params['allowedValues'] ?? params['allowedValue'] ?? []].flat()
    const allowed = values.length > 0 ? `: ${values.join(', ')}` : ''
    return `"${fieldOf(error)}" ${error.message ?? 'is not allowed'}${allowed}`
  })
  return { faults }
}

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freeze(inner)
  return Object.freeze(value)
}

/** Refuses unknown keys wherever the schema says nothing else: a typo must not pass as "key absent". */
function forbidUnknown(schema: TSchema): TSchema {
  if (Array.isArray(schema)) return schema.map(forbidUnknown) as unknown as TSchema
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    copy[key] =
      key === 'default' || key === 'examples' || key === 'enum' || key === 'const'
        ? value
        : forbidUnknown(value as TSchema)
  }
  if (copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy)) {
    copy['additionalProperties'] = false
  }
  return copy as TSchema
}
