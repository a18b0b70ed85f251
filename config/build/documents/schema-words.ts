/** What the documents say of a JSON schema. */
export interface WordedSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: WordedSchema[]
  items?: WordedSchema
  properties?: Record<string, WordedSchema>
  required?: string[]
  patternProperties?: Record<string, WordedSchema>
  default?: unknown
  description?: string
  format?: string
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
}

/** Its type with its limits, such as `integer, 0 to 65535`. */
export function typeOf(schema: WordedSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.items) return `list of ${typeOf(schema.items)}`
  const type = [schema.type ?? 'any'].flat().join(' or ')
  return [type, ...limitsOf(schema)].join(', ')
}

function limitsOf(schema: WordedSchema): string[] {
  const { minimum, exclusiveMinimum, maximum, minLength, format, pattern } = schema
  const limits: string[] = []
  if (minimum !== undefined && maximum !== undefined) limits.push(`${minimum} to ${maximum}`)
  else if (minimum !== undefined) limits.push(`≥ ${minimum}`)
  if (exclusiveMinimum !== undefined) limits.push(`> ${exclusiveMinimum}`)
  if (minLength !== undefined && minLength > 1) limits.push(`≥ ${minLength} characters`)
  if (format) limits.push(format)
  if (pattern) limits.push(`\`${pattern}\``)
  return limits
}

/** A Markdown table. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows]
  return lines.map((line) => `| ${line.map(cell).join(' | ')} |`).join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
