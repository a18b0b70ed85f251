import { type FieldSpec, parseField, type Schema, textOfValue, toField } from '../../forms/schema.ts'
import { numberOf, t, textFor } from '../../text.ts'

/** A setting of a plugin as a field of its form. */
export interface Setting {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly kind: FieldSpec['kind'] | 'switch' | 'time'
  /** Values with their texts, for the kind `choice`. */
  readonly choices: readonly (readonly [value: string, label: string])[]
  /** After the input of a number; '' for none. */
  readonly unit: string
  /** undefined without a default. */
  readonly byDefault: unknown
  readonly schema: Schema
  readonly field: FieldSpec
}

export function toSetting(name: string, schema: Schema): Setting {
  const field = toField(name, false, schema)
  const { title, unit, default: byDefault, format } = schema
  return {
    name,
    label: typeof title === 'string' ? title : name,
    description: field.description,
    kind:
      field.kind === 'boolean' && typeof byDefault === 'boolean'
        ? 'switch'
        : format === 'time-of-day'
          ? 'time'
          : field.kind,
    choices: field.choices.map((value) => [value, titleOf(schema, value)]),
    unit: typeof unit === 'string' ? (textFor('settings', `unit_${unit}`) ?? unit) : '',
    byDefault,
    schema,
    field,
  }
}

/** A value in the representation of the form. */
export function toText({ field }: Setting, value: unknown): string {
  return textOfValue(field.kind, value)
}

/** The default in words; '' without one. */
export function defaultOf({ kind, byDefault, choices, unit }: Setting): string {
  if (byDefault === undefined) return ''
  if (typeof byDefault === 'boolean') return t(byDefault ? 'settings.on' : 'settings.off')
  if (kind === 'choice')
    return choices.find(([value]) => value === String(byDefault))?.[1] ?? String(byDefault)
  if (typeof byDefault === 'number') return `${numberOf(byDefault)} ${unit}`.trim()
  const text = Array.isArray(byDefault) ? byDefault.join(', ') : String(byDefault)
  return text || t('settings.empty')
}

/** The value for a text of the form, undefined for the default; or what is wrong with it, in words. */
export function parseSetting(setting: Setting, text: string): { value?: unknown; fault?: string } {
  const { kind, field, schema, byDefault } = setting
  const isText = kind === 'text' || kind === 'long'
  if (text === '' && !isText && kind !== 'list') return {}
  const { value, fault } = parseField(field, text)
  if (fault) return { fault: t(`composer.fault_${fault}`) }
  if (JSON.stringify(value) === JSON.stringify(byDefault)) return {}
  // A text without a default that is left empty is not set.
  if (text === '' && byDefault === undefined) return {}
  const wrong = faultOf(schema, value)
  return wrong ? { fault: wrong } : { value }
}

/** Bounds of the schema that a form can name in words; the gateway checks all of them. */
function faultOf(schema: Schema, value: unknown): string {
  const bound = (name: string): number => (typeof schema[name] === 'number' ? schema[name] : Number.NaN)
  if (typeof value === 'number') {
    if (schema.type === 'integer' && !Number.isInteger(value)) return t('settings.faultInteger')
    if (value < bound('minimum')) return t('settings.faultMin', { n: bound('minimum') })
    if (value > bound('maximum')) return t('settings.faultMax', { n: bound('maximum') })
  }
  if (typeof value === 'string') {
    if (value.length < bound('minLength')) return t('settings.faultShort', { count: bound('minLength') })
    if (value.length > bound('maxLength')) return t('settings.faultLong', { count: bound('maxLength') })
  }
  if (Array.isArray(value)) {
    if (value.length > bound('maxItems')) return t('settings.faultMany', { count: bound('maxItems') })
    const items = (schema.items ?? {}) as Schema
    return value.map((item) => faultOf(items, item)).find(Boolean) ?? ''
  }
  return ''
}

function titleOf({ anyOf }: Schema, value: string): string {
  const branch = Array.isArray(anyOf) ? anyOf.find((one: Schema) => one.const === value) : undefined
  return typeof branch?.title === 'string' ? branch.title : value
}
