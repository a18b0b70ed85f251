/** A form field built from a JSON Schema. */
export interface FieldSpec {
  readonly name: string
  readonly isRequired: boolean
  readonly kind: 'text' | 'long' | 'number' | 'boolean' | 'choice' | 'list' | 'json' | 'file' | 'secret'
  readonly choices: readonly string[]
  readonly description: string
  /** In the form's representation. */
  readonly example: string
}

export type Schema = Readonly<Record<string, unknown>>

export type Schemas = Readonly<Record<string, Schema>>

/** Why a text is not a value of its field. */
export type Fault = 'missing' | 'json' | 'number'

/** @param example replaces the schema's own */
export function toField(name: string, isRequired: boolean, schema: Schema, example?: unknown): FieldSpec {
  const choices = choicesOf(schema)
  const shown = example ?? (Array.isArray(schema.examples) ? schema.examples[0] : undefined)
  const kind = kindOf(name, schema, choices)
  return {
    name,
    isRequired,
    kind,
    choices,
    description: typeof schema.description === 'string' ? schema.description : '',
    example: kind === 'file' ? '' : textOfValue(kind, shown),
  }
}

/** A value in the form's representation. */
export function textOfValue(kind: FieldSpec['kind'], value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return String(value)
  return kind === 'list' && Array.isArray(value) ? value.join('\n') : JSON.stringify(value, null, 2)
}

/** The value for a text of the form. */
export function parseField({ kind }: FieldSpec, text: string): { value?: unknown; fault?: Fault } {
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

export function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  const { $ref: _, ...rest } = schema
  return { ...schemas[$ref.split('/').at(-1) ?? ''], ...rest }
}

/** Texts longer than this get more than a line. */
const LONG = 2_000

function kindOf(name: string, schema: Schema, choices: readonly string[]): FieldSpec['kind'] {
  if (choices.length > 0) return 'choice'
  if (schema.type === 'boolean') return 'boolean'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'array')
    return (schema.items as Schema | undefined)?.type === 'string' ? 'list' : 'json'
  if (schema.type !== 'string') return 'json'
  if (schema.writeOnly === true) return 'secret'
  if (schema.format === 'file' || /data URL|base64/i.test(String(schema.description ?? ''))) return 'file'
  if (schema.format === 'link' || schema.format === 'uri') return 'text'
  return Number(schema.maxLength) >= LONG && !/URL|Id$/i.test(name) ? 'long' : 'text'
}

function choicesOf({ enum: values, anyOf }: Schema): string[] {
  if (Array.isArray(values)) return values.map(String).filter(Boolean)
  if (!Array.isArray(anyOf)) return []
  const found = anyOf.map((one: Schema) => one.const)
  return found.every((one) => typeof one === 'string') ? found : []
}
