import { createHash } from 'node:crypto'
import type { ErrorObject } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { allowedBy, fieldOf, newAjv } from './ajv.ts'
import { compiled } from './compiled.ts'

/** How settings are validated. */
export const CONFIG = { allErrors: true, coerceTypes: 'array' } as const

/**
 * Checks configuration: fills defaults, converts text from the environment to numbers and booleans, refuses unknown
 * keys. Returns the frozen result, or a message for every fault.
 */
export function checkConfig(
  schema: TSchema | undefined,
  given: Record<string, unknown>,
): { config: Record<string, unknown> } | { faults: string[] } {
  if (!schema && Object.keys(given).length === 0) return { config: Object.freeze({}) }
  const config = structuredClone(given)
  const whole = configSchema(schema)
  const id = idOf(whole)
  compiled.configs[id] ??= newAjv(CONFIG).compile(whole)
  const validate = compiled.configs[id]
  if (validate(config)) return { config: freeze(config) }
  const faults = withoutBranches(validate.errors ?? []).map((error) => {
    const { keyword, params } = error
    const known = Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
    if (keyword === 'additionalProperties') {
      return `unknown key "${fieldOf(error, params['additionalProperty'])}"; known: ${known.join(', ') || 'none'}`
    }
    const values = allowedBy(error)
    const allowed = values.length > 0 ? `: ${values.join(', ')}` : ''
    return `"${fieldOf(error)}" ${error.message ?? 'is not allowed'}${allowed}`
  })
  return { faults }
}

/** The schema of a plugin's settings. */
export function configSchema(schema: TSchema | undefined): TSchema {
  return forbidUnknown({ type: 'object', properties: {}, ...schema, additionalProperties: false })
}

/** For a whole schema. */
export function idOf(schema: TSchema): string {
  return createHash('sha1').update(JSON.stringify(schema)).digest('base64url')
}

/** A union of constants fails once for each of them, and once as a whole: one error with all values replaces them. */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf')
  return errors.flatMap((error) => {
    const union = unions.find(({ instancePath }) => instancePath === error.instancePath)
    if (!union) return [error]
    const branches = errors.filter((other) => other !== union && other.instancePath === error.instancePath)
    if (!branches.every(({ keyword }) => keyword === 'const')) return [error]
    if (error !== union) return []
    return [{ ...union, params: { allowedValues: branches.flatMap(allowedBy) }, message: 'must be one of' }]
  })
}

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freeze(inner)
  return Object.freeze(value)
}

/** Refuses unknown keys unless the schema allows them: a misspelt key must not count as absent. */
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
