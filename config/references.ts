import { type Environment, fromText, readVariable } from './environment.ts'

/** `{ "$env": "NAME", "default"?: … }` in the file stands for the value of a variable. */
export interface Reference {
  readonly $env: string
  readonly default?: unknown
}

export interface ResolveOptions {
  env: Environment
  /** Schema of the value, if known: text becomes a list if the schema has one. */
  schema?: unknown
  /** Name of the value in error messages. */
  key?: string
  /** Receives a message for each reference that can't be resolved. */
  faults: string[]
}

/** The value with all references replaced, at any depth. */
export function resolveReferences(value: unknown, options: ResolveOptions): unknown {
  const { schema, key = '' } = options
  if (Array.isArray(value)) {
    const items = (schema as { items?: unknown } | undefined)?.items
    return value.map((item, at) =>
      resolveReferences(item, { ...options, schema: items, key: `${key}[${at}]` }),
    )
  }
  if (!isObject(value)) return value
  if ('$env' in value) return lookUp(value, options)
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, unknown> }
  const resolved = Object.entries(value).map(([name, inner]) => {
    const place = key ? `${key}.${name}` : name
    return [name, resolveReferences(inner, { ...options, schema: properties[name], key: place })]
  })
  return Object.fromEntries(resolved)
}

export function isReference(value: unknown): value is Reference {
  if (!isObject(value) || typeof value['$env'] !== 'string' || !value['$env']) return false
  return Object.keys(value).every((name) => name === '$env' || name === 'default')
}

/** Every reference in a value. */
export function referencesIn(value: unknown): Reference[] {
  if (isReference(value)) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(referencesIn) : []
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function lookUp(reference: object, { env, schema, key = '', faults }: ResolveOptions): unknown {
  if (!isReference(reference)) {
    faults.push(
      `"${key}": "$env" must be the name of a variable, with no other key next to it than "default"`,
    )
    return undefined
  }
  const text = readVariable(env, reference.$env)
  if (text !== undefined) return fromText(text, schema as object | undefined)
  if ('default' in reference) return reference.default
  faults.push(
    `"${key}" refers to the variable ${reference.$env}, which is not set; set it, or add a "default"`,
  )
  return undefined
}
