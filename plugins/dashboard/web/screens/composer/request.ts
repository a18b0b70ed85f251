import type { FieldSpec, Operation } from './spec.ts'

/** What a form makes of its fields. */
export interface Composed {
  readonly method: string
  /** With the parameters filled in. */
  readonly path: string
  readonly pattern: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly hasBody: boolean
  /** By field: why its text is no value. */
  readonly faults: Readonly<Record<string, 'missing' | 'json' | 'number'>>
}

/** @param texts of the fields by name; those without a text are left out. */
export function compose(
  { method, path, fields }: Operation,
  texts: Readonly<Record<string, string>>,
): Composed {
  const params: Record<string, string> = {}
  const query: Record<string, string> = {}
  const body: Record<string, unknown> = {}
  const faults: Record<string, 'missing' | 'json' | 'number'> = {}
  for (const field of fields) {
    const text = texts[field.name] ?? ''
    if (text === '') {
      if (field.isRequired) faults[field.name] = 'missing'
      continue
    }
    if (field.in === 'path') params[field.name] = text
    else if (field.in === 'query') query[field.name] = text
    else {
      const { value, fault } = parse(field, text)
      if (fault) faults[field.name] = fault
      else body[field.name] = value
    }
  }
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    params[name] === undefined ? whole : encodeURIComponent(params[name]),
  )
  return { method, path: filled, pattern: path, params, query, body, hasBody: method !== 'GET', faults }
}

function parse({ kind }: FieldSpec, text: string): { value?: unknown; fault?: 'json' | 'number' } {
  if (kind === 'boolean') return { value: text === 'true' }
  if (kind === 'list')
    return {
      value: text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    }
  if (kind === 'number') {
    const value = Number(text)
    return Number.isNaN(value) ? { fault: 'number' } : { value }
  }
  if (kind !== 'json') return { value: text }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { fault: 'json' }
  }
}
