import Ajv2020 from 'ajv/dist/2020.js'

export interface Operation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security: readonly Record<string, unknown>[]
  readonly parameters: readonly {
    name: string
    in: string
    required?: boolean
    example?: unknown
    schema: Record<string, unknown>
  }[]
  readonly requestBody?: {
    required: boolean
    content: Record<string, { schema: Record<string, unknown>; example?: unknown }>
  }
  readonly responses: Readonly<
    Record<string, { content?: Record<string, { schema: object }>; $ref?: string }>
  >
}

/** An OpenAPI document as its readers use it. */
export interface Document {
  readonly json: Record<string, unknown>
  readonly operations: readonly Operation[]
  /** Throws where the data does not fit the schema of that answer. */
  assertFits(operation: Operation, status: number, data: unknown): void
}

export async function openApiOf(url: string): Promise<Document> {
  const json = (await (await fetch(`${url}/openapi.json`)).json()) as Record<string, unknown>
  const paths = json['paths'] as Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
  const ajv = new Ajv2020.default({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    code: { optimize: false },
  })
  ajv.addSchema(json, 'document')
  return {
    json,
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
      })),
    ),
    assertFits({ method, path, responses }, status, data) {
      const pointer = (part: string): string =>
        encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
      const place =
        responses[status]?.$ref ?? `#/paths/${pointer(path)}/${method.toLowerCase()}/responses/${status}`
      const $ref = `document${place}/content/${pointer('application/json')}/schema`
      const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref })
      if (!validate(data)) throw new Error(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`)
    },
  }
}
