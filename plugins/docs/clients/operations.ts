import { clientDocument } from './typescript.ts'

/** A schema of the OpenAPI document, as far as the generators read it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly description?: string
  readonly $ref?: string
}

export interface Field {
  readonly name: string
  readonly place: 'path' | 'query' | 'body'
  readonly schema: Schema
  readonly isRequired: boolean
}

/** How the next page is requested: the query field `cursor` takes the value that the answer has in `next`. */
export interface Paging {
  readonly cursor: string
  readonly next: string
  readonly items: string
  readonly item: Schema
}

/** One method of a client. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  /** Required ones first. */
  readonly fields: readonly Field[]
  /** Whether the body may have other fields as well. */
  readonly isOpen: boolean
  /** Whether it takes an Idempotency-Key. */
  readonly isSend: boolean
  /** Schema of the data of the envelope; absent for text and files. */
  readonly data?: Schema
  readonly media: 'json' | 'text' | 'file'
  readonly paging?: Paging
}

export interface Interface {
  readonly operations: readonly Operation[]
  /** Named schemas but that of errors, which are exceptions; each after those that it refers to. */
  readonly schemas: readonly (readonly [name: string, schema: Schema])[]
  /** Bodies of events by type, with the `seq` that streams add. */
  readonly events: readonly (readonly [type: string, schema: Schema])[]
  readonly errorCodes: readonly string[]
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Described {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const SEQ: Schema = { type: 'integer', description: 'Position in the log; absent in deliveries of webhooks' }

let known: Promise<Interface> | undefined

/** The interface as clients in other languages have it: methods with named arguments. Read once, since it takes seconds. */
export function readInterface(): Promise<Interface> {
  known ??= interfaceOf()
  return known
}

async function interfaceOf(): Promise<Interface> {
  const document = (await clientDocument()) as unknown as Document
  const { schemas } = document.components
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) => operationOf(method, path, described, schemas)),
  )
  return {
    operations,
    schemas: sorted(schemas).filter(([name]) => name !== 'Error'),
    events: Object.entries(document.webhooks).map(([type, { post }]) => {
      const body = post.requestBody?.content['application/json']?.schema ?? {}
      return [type, { ...body, properties: { ...body.properties, seq: SEQ } }]
    }),
    errorCodes: (schemas['Error']?.properties?.['errorCode']?.enum ?? []).map(String),
  }
}

/**
 * Nothing for pages, event streams, sockets, and dialects of others with an envelope of their own: they are not calls of a client.
 */
function operationOf(
  method: string,
  path: string,
  described: Described,
  schemas: Readonly<Record<string, Schema>>,
): Operation[] {
  const { content = {} } = described.responses['200'] ?? {}
  const answer = content['application/json']?.schema
  const { data } = answer?.properties ?? {}
  const media = data ? 'json' : 'text/plain' in content ? 'text' : 'file'
  if (!data && !('text/plain' in content) && !('application/octet-stream' in content)) return []
  const body = described.requestBody?.content['application/json']?.schema
  const isBodyRequired = described.requestBody?.required === true
  const parameters = (described.parameters ?? []).flatMap((parameter): Field[] =>
    parameter.in === 'path' || parameter.in === 'query'
      ? [
          {
            name: parameter.name,
            place: parameter.in,
            schema: parameter.schema,
            isRequired: parameter.required === true,
          },
        ]
      : [],
  )
  const fields = [
    ...parameters,
    ...Object.entries(body?.properties ?? {}).map(
      ([name, schema]): Field => ({
        name,
        place: 'body',
        schema,
        isRequired: isBodyRequired && body?.required?.includes(name) === true,
      }),
    ),
  ]
  const paging = data && pagingOf(parameters, resolve(data, schemas))
  return [
    {
      id: described.operationId,
      method,
      path,
      summary: described.summary ?? '',
      description: described.description ?? '',
      fields: [
        ...fields.filter(({ isRequired }) => isRequired),
        ...fields.filter(({ isRequired }) => !isRequired),
      ],
      isOpen: body?.additionalProperties === true,
      isSend: described.parameters?.some(({ name }) => name === 'Idempotency-Key') === true,
      media,
      ...(data ? { data } : {}),
      ...(paging ? { paging } : {}),
    },
  ]
}

/** A page has one list, and the value of the cursor under its name, or as `Next`. */
function pagingOf(parameters: readonly Field[], { properties = {} }: Schema): Paging | undefined {
  const lists = Object.entries(properties).filter(([, { type }]) => type === 'array')
  const [[items, list] = ['', {}]] = lists
  const cursor = parameters.find(({ name }) => /^(before|after)$/i.test(name))?.name
  const next = Object.keys(properties).find(
    (name) =>
      name.toLowerCase() === cursor?.toLowerCase() || (name === 'Next' && /^after$/i.test(cursor ?? '')),
  )
  if (!cursor || !next || lists.length !== 1) return undefined
  return { cursor, next, items, item: list.items ?? {} }
}

function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  return schema.$ref ? (schemas[refOf(schema)] ?? {}) : schema
}

/** Name of the schema that `$ref` points to. */
export function refOf({ $ref = '' }: Schema): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

function sorted(schemas: Readonly<Record<string, Schema>>): [string, Schema][] {
  const done = new Map<string, Schema>()
  const add = (name: string): void => {
    const schema = schemas[name]
    if (!schema || done.has(name)) return
    for (const [, used = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      if (used !== name) add(used)
    done.set(name, schema)
  }
  for (const name of Object.keys(schemas)) add(name)
  return [...done]
}
