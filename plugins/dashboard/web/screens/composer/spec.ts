import { call, ROOT } from '../../api.ts'
import { type FieldSpec, resolve, type Schema, type Schemas, toField } from '../../forms/schema.ts'

/** An operation of the interface, for a form. */
export interface ComposerOperation {
  /** `POST /send/text` */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Whether it belongs to one session. */
  readonly isOfSession: boolean
  /** It accepts an idempotency key: the same one never sends twice. */
  readonly isSend: boolean
  readonly fields: readonly OperationField[]
}

export interface OperationField extends FieldSpec {
  readonly in: 'body' | 'query' | 'path'
}

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
let loaded: Promise<readonly ComposerOperation[]> | undefined

/** Sends come first, otherwise in the order of the document; streams, which a form can't show, are left out. */
export function readOperations(): Promise<readonly ComposerOperation[]> {
  loaded ??= read().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

async function read(): Promise<readonly ComposerOperation[]> {
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

function toOperation(
  path: string,
  method: string,
  described: Described,
  schemas: Schemas,
): ComposerOperation {
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
      ...inPath.map(({ name, required: isRequired, schema: own = {}, example, ...one }) => ({
        ...toField(name, isRequired === true, resolve(own, schemas), example),
        in: one.in === 'path' ? ('path' as const) : ('query' as const),
      })),
      ...Object.entries(properties).map(([name, one]) => ({
        ...toField(name, required.includes(name), resolve(one, schemas), body?.example?.[name]),
        in: 'body' as const,
      })),
    ].sort((a, b) => Number(b.isRequired) - Number(a.isRequired)),
  }
}
