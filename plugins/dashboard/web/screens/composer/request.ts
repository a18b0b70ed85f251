import { type Fault, parseField } from '../../forms/schema.ts'
import type { ComposerOperation } from './spec.ts'

/** The request built from a form's fields. */
export interface Composed {
  readonly method: string
  /** With the parameters filled in. */
  readonly path: string
  readonly pattern: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly hasBody: boolean
  /** By field: why its text is not a value. */
  readonly faults: Readonly<Record<string, Fault>>
}

/** @param texts of the fields by name; those without a text are left out. */
export function compose(
  { method, path, fields }: ComposerOperation,
  texts: Readonly<Record<string, string>>,
): Composed {
  const params: Record<string, string> = {}
  const query: Record<string, string> = {}
  const body: Record<string, unknown> = {}
  const faults: Record<string, Fault> = {}
  for (const field of fields) {
    const text = texts[field.name] ?? ''
    if (text === '') {
      if (field.isRequired) faults[field.name] = 'missing'
      continue
    }
    if (field.in === 'path') params[field.name] = text
    else if (field.in === 'query') query[field.name] = text
    else {
      const { value, fault } = parseField(field, text)
      if (fault) faults[field.name] = fault
      else body[field.name] = value
    }
  }
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    params[name] === undefined ? whole : encodeURIComponent(params[name]),
  )
  return { method, path: filled, pattern: path, params, query, body, hasBody: method !== 'GET', faults }
}
