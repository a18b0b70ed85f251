import { type FieldSchema, type FieldSchemas, fieldTable, shapeOf } from './fields.ts'
import type { SitePage } from './page.ts'
import { curl, type ExampleCall, python, typescript } from './requests.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: FieldSchema
  example?: unknown
}

type Content = Record<string, { schema?: FieldSchema; example?: unknown }>

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { description?: string; content?: Content; $ref?: string }>
  'x-scope'?: string
  'x-destructive'?: boolean
  'x-idempotent'?: boolean
}

interface Endpoint {
  method: string
  path: string
  operation: Operation
  /** The codes that the route names, besides those of any route with its access. */
  errors: readonly string[]
  schemas: FieldSchemas
}

/** The page of an endpoint: what it takes, requests in three languages, what it answers. */
export function endpointPage({ method, path, operation, errors, schemas }: Endpoint): SitePage {
  const { summary, description = '', operationId, tags, parameters, requestBody, responses } = operation
  const title = `${method} ${path}`
  const [media = '', content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const call: ExampleCall = {
    method,
    path: filled(path, parameters),
    header: headerOf(operation),
    body: content?.example,
    isFile: media !== '' && media !== 'application/json',
    query: Object.fromEntries(
      parameters
        .filter((one) => one.in === 'query' && one.example !== undefined)
        .map((one) => [one.name, String(one.example)]),
    ),
  }
  const answer = Object.values(responses['200']?.content ?? {})[0]?.schema
  const [answerType = ''] = Object.keys(responses['200']?.content ?? {})
  const text = [
    `---\ntitle: ${JSON.stringify(title)}\n---`,
    `# ${summary}`,
    `\`\`\`http\n${title}\n\`\`\``,
    description
      .replaceAll('{{', '&#123;&#123;')
      .replace(/\]\((\/[^)]*)\)/g, ']')
      .replaceAll(/\[(.*?)\](?!\()/g, '$1'),
    [accessOf(operation), traitsOf(operation)].filter(Boolean).join(' '),
    '## Request',
    [
      '::: code-group',
      block('sh', 'curl', curl(call)),
      block('ts', 'TypeScript', typescript(call)),
      block('python', 'Python', python(call)),
      ':::',
    ].join('\n\n'),
    ...parameterTables(parameters, schemas),
    ...section('### Body', fieldTable(content?.schema, schemas), '`*` marks required fields.'),
    '## Answer',
    answerText(answerType, answer, schemas),
    ...section('### Fields', fieldTable(answer?.properties?.['data'], schemas)),
    '## Errors',
    errorsText(errors, responses),
    `The plugin: [${tags[0]}](/plugins/${tags[0]}).`,
  ]
  return {
    path: `${tags[0]}/${slugOf(operationId)}`,
    title,
    summary,
    text: text.filter(Boolean).join('\n\n'),
  }
}

function slugOf(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function block(language: string, label: string, text: string): string {
  return `\`\`\`${language} [${label}]\n${text}\n\`\`\``
}

function section(heading: string, table: string, note = ''): string[] {
  return table ? [heading, table, note].filter(Boolean) : []
}

function filled(path: string, parameters: readonly Parameter[]): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters.find((one) => one.in === 'path' && one.name === name)?.example
    return value === undefined ? whole : encodeURIComponent(String(value))
  })
}

function headerOf({ security }: Operation): ExampleCall['header'] {
  if (security.length === 0) return undefined
  return security.some((one) => 'token' in one) ? 'token' : 'admintoken'
}

function accessOf({ security, 'x-scope': scope }: Operation): string {
  if (security.length === 0) return 'No token is needed.'
  const names = [
    ...(security.some((one) => 'token' in one) ? ['the token of a session'] : []),
    ...(security.some((one) => 'admin' in one) ? ['the admin token'] : []),
    ...(scope && scope !== 'owner' ? [`a key with the scope \`${scope}\``] : []),
  ]
  return `Needs ${names.join(' or ')}.`
}

function traitsOf(operation: Operation): string {
  return [
    operation['x-destructive'] ? 'It can not be undone by another call.' : '',
    operation['x-idempotent'] ? 'Repeating it changes nothing more.' : '',
  ]
    .filter(Boolean)
    .join(' ')
}

function parameterTables(parameters: readonly Parameter[], schemas: FieldSchemas): string[] {
  const heads = { path: '### Path', query: '### Query', header: '### Headers' } as const
  return Object.entries(heads).flatMap(([place, heading]) => {
    const some = parameters.filter((one) => one.in === place)
    const properties = Object.fromEntries(
      some.map(({ name, schema, description }) => [name, description ? { ...schema, description } : schema]),
    )
    const required = some.filter((one) => one.required).map(({ name }) => name)
    return section(heading, fieldTable({ properties, required }, schemas))
  })
}

function answerText(type: string, schema: FieldSchema | undefined, schemas: FieldSchemas): string {
  if (type && !type.startsWith('application/json')) return `A body of the type \`${type}\`.`
  const shape = JSON.stringify(shapeOf(schema, schemas), null, 2)
  return `\`\`\`json\n${shape}\n\`\`\``
}

function errorsText(errors: readonly string[], responses: Operation['responses']): string {
  const own = errors.map((code) => `- [\`${code}\`](/errors/${code})`)
  const statuses = Object.keys(responses).filter((status) => Number(status) >= 400)
  const list = statuses.map((status) => `[${status}](/errors/#_${status})`).join(', ')
  return [...own, `${own.length > 0 ? '\n' : ''}By status: ${list}.`].join('\n')
}
