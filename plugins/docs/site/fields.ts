/** A JSON Schema of the OpenAPI document. */
export interface FieldSchema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  format?: string
  description?: string
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: FieldSchema
  properties?: Record<string, FieldSchema>
  required?: string[]
  anyOf?: FieldSchema[]
  allOf?: FieldSchema[]
}

export type FieldSchemas = Readonly<Record<string, FieldSchema>>

/** Fields of fields are shown so many levels deep. */
const DEPTH = 3

/** A table of the fields of an object; '' if it has none. */
export function fieldTable(schema: FieldSchema | undefined, schemas: FieldSchemas): string {
  const rows = fieldRows(schema, schemas)
  if (rows.length === 0) return ''
  return `| field | type | |\n|---|---|---|\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`
}

function fieldRows(
  schema: FieldSchema | undefined,
  schemas: FieldSchemas,
  place = '',
  depth = 1,
): string[][] {
  const { properties = {}, required = [] } = objectIn(schema, schemas) ?? {}
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner =
      depth < DEPTH
        ? fieldRows(field, schemas, `${place}${name}${isList(field, schemas) ? '[]' : ''}.`, depth + 1)
        : []
    const isRequired = required.includes(name)
    return [
      [
        `\`${place}${name}\`${isRequired ? ' *' : ''}`,
        typeOf(field, schemas),
        meaningOf(resolved(field, schemas)),
      ],
      ...inner,
    ]
  })
}

/** The object that a field holds, alone or in a list. */
function objectIn(schema: FieldSchema | undefined, schemas: FieldSchemas): FieldSchema | undefined {
  const found = schema && resolved(schema, schemas)
  if (!found) return undefined
  if (found.properties) return found
  const inner = [found.items, ...(found.anyOf ?? [])].filter((one) => one !== undefined)
  return inner.map((one) => resolved(one, schemas)).find(({ properties }) => properties)
}

export function resolved(schema: FieldSchema, schemas: FieldSchemas): FieldSchema {
  const name = schema.$ref?.split('/').at(-1)
  return (name ? schemas[name] : undefined) ?? schema
}

function isList(schema: FieldSchema, schemas: FieldSchemas): boolean {
  return resolved(schema, schemas).type === 'array'
}

function typeOf(schema: FieldSchema, schemas: FieldSchemas): string {
  const { type, enum: values, items, anyOf, format, ...rest } = resolved(schema, schemas)
  if (rest.const !== undefined) return code(rest.const)
  if (values) return values.map(code).join(', ')
  if (items) return `list of ${typeOf(items, schemas)}`
  if (anyOf) return [...new Set(anyOf.map((one) => typeOf(one, schemas)))].join(' or ')
  const name = [type ?? 'any'].flat().join(' or ')
  return format ? `${name}, ${format}` : name
}

function meaningOf({ description = '', default: value, maxLength, minimum, maximum }: FieldSchema): string {
  const said = [
    description.replaceAll('\n', ' ').replaceAll('|', '\\|'),
    value === undefined ? '' : `Default ${code(value)}`,
    minimum === undefined && maximum === undefined ? '' : `From ${minimum ?? '…'} to ${maximum ?? '…'}`,
    maxLength === undefined ? '' : `At most ${maxLength} characters`,
  ]
  return said.filter(Boolean).join('. ').replaceAll('{{', '&#123;&#123;')
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``
}

/** The shape of an answer: the types in place of the values. */
export function shapeOf(schema: FieldSchema | undefined, schemas: FieldSchemas, depth = 0): unknown {
  const found = schema && resolved(schema, schemas)
  if (!found) return {}
  if (found.const !== undefined) return found.const
  if (found.examples?.[0] !== undefined) return found.examples[0]
  if (found.enum) return found.enum.join(' | ')
  if (found.anyOf?.[0]) return shapeOf(found.anyOf[0], schemas, depth)
  if (found.items) return depth > 4 ? [] : [shapeOf(found.items, schemas, depth + 1)]
  if (found.properties) {
    if (depth > 4) return {}
    return Object.fromEntries(
      Object.entries(found.properties).map(([name, field]) => [name, shapeOf(field, schemas, depth + 1)]),
    )
  }
  return found.format ?? [found.type ?? 'any'].flat().join(' | ')
}
