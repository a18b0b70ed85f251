import openapiTS, { astToString } from 'openapi-typescript'
import { BUILTIN } from '../../../config/builtin.ts'
import { describeGateway } from '../../../config/cli/describe-plugins.ts'
import { loadConfig } from '../../../config/load.ts'
import { openApi } from '../openapi.ts'

type Json = Record<string, unknown>
type Paths = Record<string, Record<string, Json>>

const HEAD = `/**
 * Types of the interface with all built-in plugins but the sandbox, for plugins/docs/clients/typescript/types.ts. Made by \`npm run generate\`, and not in git:
 * from the OpenAPI document, with openapi-typescript.
 */
`

/** plugins/docs/clients/typescript/api.ts: the types. */
export async function client(): Promise<string> {
  const document = await clientDocument()
  const paths = document['paths'] as Paths
  // Refusals are WamuxErrors, whose codes are in the schema Error.
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    operation['responses'] = { 200: (operation['responses'] as Json)['200'] }
  // Headers of deliveries are for the receiver's library that verifies them.
  for (const { post } of Object.values(document['webhooks'] as Record<string, { post: Json }>))
    delete post['parameters']
  const { responses: _, ...components } = document['components'] as Json
  const types = astToString(await openapiTS({ ...document, components } as never))
  return `${HEAD}\n${lean(types)}`
}

/** plugins/docs/clients/typescript/sends.ts: the routes that take an Idempotency-Key. */
export async function sends(): Promise<string> {
  const paths = (await clientDocument())['paths'] as Paths
  const found = Object.entries(paths).flatMap(([path, { post }]) =>
    JSON.stringify(post?.['parameters'] ?? '').includes('"Idempotency-Key"') ? [path] : [],
  )
  const list = found.map((path) => `  '${path}',\n`).join('')
  return `/** Routes that take an Idempotency-Key. Made by \`npm run docs\`. */\nexport const SENDS: ReadonlySet<string> = new Set([\n${list}])\n`
}

/** The OpenAPI document of all built-in plugins but the sandbox, without the version of the package. */
export async function clientDocument(): Promise<Json> {
  const on = Object.keys(BUILTIN).map((name) => [name, name !== 'sandbox'])
  const description = describeGateway(await loadConfig({}, Object.fromEntries(on)))
  return openApi({ ...description, version: '' })
}

/** Without the lines about what a route does not have, which are most of them, and the content of files in examples. */
function lean(types: string): string {
  return types
    .replace(/"(data:[\w/]+;base64,)[^"]+"/g, '"$1…"')
    .replace(
      /^ *(get|put|post|delete|options|head|patch|trace|query|header|path|cookie|requestBody)\?: never;\n/gm,
      '',
    )
    .replace(/^ *headers: \{\n *\[name: string\]: unknown;\n *\};\n/gm, '')
    .replace(/^ *parameters: \{\n *\};\n/gm, '')
    .replace(/^ *\/\*\* @description (Done|Accepted; any other status is retried) \*\/\n/gm, '')
    .replace(/^ *\/\*\* @constant \*\/\n/gm, '')
    .replace(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 4))
}
