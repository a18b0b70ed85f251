import openapiTS, { astToString } from 'openapi-typescript'
import { BUILTIN } from '../../config/builtin.ts'
import { describeGateway } from '../../config/cli/describe-plugins.ts'
import { loadConfig } from '../../config/load.ts'
import { openApi } from '../../plugins/docs/openapi.ts'

type Json = Record<string, unknown>

const HEAD = `/**
 * Types of the interface with all built-in plugins but the sandbox, for config/client/types.ts. Made by \`npm run client\`
 * from the OpenAPI document, with openapi-typescript.
 */
`

/** config/client/api.ts: the types, and the routes that take an Idempotency-Key. */
export async function client(): Promise<string> {
  const on = Object.keys(BUILTIN).map((name) => [name, name !== 'sandbox'])
  const description = describeGateway(await loadConfig({}, Object.fromEntries(on)))
  const document = openApi({ ...description, version: '' })
  const paths = document['paths'] as Record<string, Record<string, Json>>
  const sends = Object.entries(paths).flatMap(([path, { post }]) =>
    JSON.stringify(post?.['parameters'] ?? '').includes('"Idempotency-Key"') ? [path] : [],
  )
  // Refusals are WamuxErrors, whose codes are in the schema Error.
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    operation['responses'] = { 200: (operation['responses'] as Json)['200'] }
  const { responses: _, ...components } = document['components'] as Json
  const types = astToString(await openapiTS({ ...document, components } as never))
  const list = sends.map((path) => `  '${path}',\n`).join('')
  return `${HEAD}\n${lean(types)}\nexport const SENDS: ReadonlySet<string> = new Set([\n${list}])\n`
}

/** Without the lines about what a route does not have, which are most of them. */
function lean(types: string): string {
  return types
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
