/** Scopes of the routes that can be tools; no tool manages tokens or keys. */
export const SCOPES = ['read', 'send', 'manage'] as const
export type ToolScope = (typeof SCOPES)[number]

/** A route as a tool. */
export interface Tool {
  /** The `operationId`, for example `sendText`. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** JSON Schema without references. */
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly scope: ToolScope
  readonly isDestructive: boolean
  readonly isIdempotent: boolean
  /** What a call lets out of the account: names of `LEAVING`. */
  readonly leaves: readonly string[]
  readonly method: string
  /** With the parameters in braces. */
  readonly path: string
  /** Names of the arguments in the path and in the query; the others form the body. */
  readonly inPath: readonly string[]
  readonly inQuery: readonly string[]
  /** Whether it has an argument with exactly that name. */
  takes(name: string): boolean
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security?: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
  readonly 'x-scope'?: string
  readonly 'x-destructive'?: boolean
  readonly 'x-idempotent'?: boolean
  readonly 'x-sensitive'?: boolean
  /** Fields by what they let out. */
  readonly 'x-leaves'?: Readonly<Record<string, readonly string[]>>
}

/** The field is absent if the route uses another format. */
interface Content {
  readonly 'application/json'?: { readonly schema: Schema }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: unknown
}

interface Schema {
  readonly properties?: object
  readonly required?: readonly string[]
}

/**
 * The tools of a gateway, from its OpenAPI document: the routes of a session that take and answer JSON. Sensitive routes, which
 * decide who receives messages or hand out credentials, are excluded, and so is what a person must be able to confirm if the
 * gateway can't hold it back (plugin `confirmation`).
 */
export function toolsOf(document: OpenApi): Tool[] {
  const paths = Object.entries(document.paths).filter(([path]) => path !== '/mcp')
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const scope = SCOPES.find((known) => known === operation['x-scope'])
      return scope && !operation['x-sensitive'] && isCallable(operation) && isConfirmable(operation)
        ? [toolOf({ document, path, method, operation, scope })]
        : []
    }),
  )
}

/** Whether it is open to a session's token, takes JSON or no body, and answers with the envelope, not with another dialect. */
function isCallable({ security = [], requestBody, responses }: Operation): boolean {
  const isOfSession = security.some((one) => 'token' in one) && !security.some((one) => 'admin' in one)
  const answer = responses['200']?.content?.['application/json']?.schema
  const takesJson = !requestBody || 'application/json' in requestBody.content
  return isOfSession && takesJson && 'success' in (answer?.properties ?? {})
}

/** Whether nobody must confirm its calls, or the gateway refuses those that are not confirmed. */
function isConfirmable({ parameters = [], ...operation }: Operation): boolean {
  if (!operation['x-leaves'] && !operation['x-destructive']) return true
  return parameters.some(({ name }) => name === 'X-Unconfirmed')
}

interface Described {
  document: OpenApi
  path: string
  method: string
  operation: Operation
  scope: ToolScope
}

function toolOf({ document, path, method, operation, scope }: Described): Tool {
  const { operationId, summary, description = '', parameters = [], requestBody } = operation
  const placed = (where: string): Parameter[] => parameters.filter((one) => one.in === where)
  const body = (resolved(requestBody?.content['application/json']?.schema ?? {}, document) ?? {}) as Schema
  const outside = [...placed('path'), ...placed('query')]
  const required = [
    ...outside.filter((one) => one.required).map(({ name }) => name),
    ...(body.required ?? []),
  ]
  const properties: Record<string, unknown> = {
    ...Object.fromEntries(outside.map(({ name, schema }) => [name, resolved(schema, document)])),
    ...body.properties,
  }
  return {
    name: operationId,
    title: summary,
    description: [summary, description].filter(Boolean).join('. '),
    inputSchema: { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
    scope,
    isDestructive: operation['x-destructive'] === true,
    isIdempotent: operation['x-idempotent'] === true,
    leaves: Object.keys(operation['x-leaves'] ?? {}),
    method: method.toUpperCase(),
    path,
    inPath: placed('path').map(({ name }) => name),
    inQuery: placed('query').map(({ name }) => name),
    // The fields of a union are in its branches.
    takes: (one) => Object.hasOwn(properties, one) || (requestBody !== undefined && !body.properties),
  }
}

/** The schema with its references inlined; a recursive reference becomes the schema of any value. */
function resolved(schema: unknown, document: OpenApi, within: readonly string[] = []): unknown {
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, document, within))
  if (typeof schema !== 'object' || schema === null) return schema
  const reference = '$ref' in schema ? String(schema.$ref).split('/').at(-1) : undefined
  if (reference === undefined)
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, resolved(value, document, within)]),
    )
  if (within.includes(reference)) return {}
  return resolved(document.components.schemas[reference], document, [...within, reference])
}
