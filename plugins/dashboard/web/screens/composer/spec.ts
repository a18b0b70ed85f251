import { call, ROOT } from '../../api.ts'

/** An operation of the interface, as a form has it. */
export interface Operation {
  /** `POST /send/text` */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Whether it is of one session. */
  readonly isOfSession: boolean
  /** It accepts an idempotency key: the same one never sends twice. */
  readonly isSend: boolean
  readonly fields: readonly FieldSpec[]
}

export interface FieldSpec {
  readonly name: string
  readonly in: 'body' | 'query' | 'path'
  readonly isRequired: boolean
  readonly kind: 'text' | 'long' | 'number' | 'boolean' | 'choice' | 'list' | 'json' | 'file'
  readonly choices: readonly string[]
  readonly description: string
  /** As the form has it. */
  readonly example: string
}

type Schema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly schema?: Schema
}

interface Described {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: Schema }>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** Read once: it does not change while the gateway runs. */
let loaded: Promise<readonly Operation[]> | undefined

/** Those that send first, in the order of the document; streams, which a form can't show, are left out. */
export function readOperations(): Promise<readonly Operation[]> {
  loaded ??= read().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

async function read(): Promise<readonly Operation[]> {
  const response = await call(`${ROOT}/openapi.json`)
  if (!response.ok) throw new Error(`/openapi.json: ${response.status}`)
  const { paths, components } = (await response.json()) as Document
  const schemas = components?.schemas ?? {}
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) =>
      toOperation(path, method.toUpperCase(), described, schemas),
    ),
  )
  const shown = all.filter(({ path }) => !/\/(stream|socket)$|^\/(docs|dashboard)/.test(path))
  return shown.sort((a, b) => Number(b.isSend) - Number(a.isSend))
}

type Schemas = Readonly<Record<string, Schema>>

function toOperation(path: string, method: string, described: Described, schemas: Schemas): Operation {
  const { tags = [], summary = '', description = '', security = [], parameters = [], requestBody } = described
  const body = requestBody?.content?.['application/json']
  const schema = body?.schema ? resolve(body.schema, schemas) : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>
  const inPath = parameters.filter((one) => one.in === 'path' || one.in === 'query')
  return {
    name: `${method} ${path}`,
    method,
    path,
    tag: tags[0] ?? '',
    summary,
    description,
    isOfSession: security.some((one) => 'token' in one),
    isSend: parameters.some(({ name }) => name === 'Idempotency-Key'),
    fields: [
      ...inPath.map((one) =>
        toField(
          one.name,
          one.in === 'path' ? 'path' : 'query',
          one.required === true,
          resolve(one.schema ?? {}, schemas),
          one.example,
        ),
      ),
      ...Object.entries(properties).map(([name, one]) =>
        toField(name, 'body', required.includes(name), resolve(one, schemas), body?.example?.[name]),
      ),
    ].sort((a, b) => Number(b.isRequired) - Number(a.isRequired)),
  }
}

function toField(
  name: string,
  place: FieldSpec['in'],
  isRequired: boolean,
  schema: Schema,
  example: unknown,
): FieldSpec {
  const choices = choicesOf(schema)
  const shown = example ?? (Array.isArray(schema.examples) ? schema.examples[0] : undefined)
  const kind = kindOf(name, schema, choices)
  return {
    name,
    in: place,
    isRequired,
    kind,
    choices,
    description: typeof schema.description === 'string' ? schema.description : '',
    example:
      kind === 'file' || shown === undefined
        ? ''
        : typeof shown === 'object'
          ? asList(kind, shown)
          : String(shown),
  }
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
  if (/data URL|base64/i.test(String(schema.description ?? ''))) return 'file'
  return Number(schema.maxLength) >= LONG && !/URL|Id$/i.test(name) ? 'long' : 'text'
}

function choicesOf({ enum: values, anyOf }: Schema): string[] {
  if (Array.isArray(values)) return values.map(String).filter(Boolean)
  if (!Array.isArray(anyOf)) return []
  const found = anyOf.map((one: Schema) => one.const)
  return found.every((one) => typeof one === 'string') ? found : []
}

function asList(kind: FieldSpec['kind'], shown: unknown): string {
  return kind === 'list' && Array.isArray(shown) ? shown.join('\n') : JSON.stringify(shown, null, 2)
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  const { $ref: _, ...rest } = schema
  return { ...schemas[$ref.split('/').at(-1) ?? ''], ...rest }
}
