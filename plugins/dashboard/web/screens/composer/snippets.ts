import type { Composed } from './request.ts'

export interface SnippetParts {
  readonly request: Composed
  /** Address of the gateway. */
  readonly url: string
  readonly isOfSession: boolean
  /** '' for none. */
  readonly idempotencyKey: string
}

export type SnippetLanguage = 'curl' | 'typescript' | 'python'

/** Credentials come from the environment: a page has none, and code should not contain any. */
export const SNIPPETS: Readonly<Record<SnippetLanguage, (parts: SnippetParts) => string>> = {
  curl,
  typescript,
  python,
}

/** Shortens long values, for example of files. */
const MAX_VALUE = 2_000

function curl({ request, url, isOfSession, idempotencyKey }: SnippetParts): string {
  const { method, path, body, hasBody } = request
  const header = isOfSession ? 'token: $WAMUX_TOKEN' : 'admintoken: $WAMUX_ADMIN_TOKEN'
  return [
    `curl -X ${method} ${quote(url + path + searchOf(request))}`,
    `-H "${header}"`,
    ...(idempotencyKey ? [`-H ${quote(`Idempotency-Key: ${idempotencyKey}`)}`] : []),
    ...(hasBody
      ? [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(shortened(body), null, 2))}`]
      : []),
  ].join(' \\\n  ')
}

function typescript({ request, url, isOfSession, idempotencyKey }: SnippetParts): string {
  const { method, pattern, params, query, body, hasBody } = request
  const token = isOfSession ? 'token: process.env.WAMUX_TOKEN' : 'adminToken: process.env.WAMUX_ADMIN_TOKEN'
  const options = {
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(idempotencyKey ? { idempotencyKey } : {}),
  }
  const given = hasBody ? shortened(body) : query
  const last = Object.keys(options).length > 0
  const args = [
    JSON.stringify(pattern),
    ...(Object.keys(given).length > 0 ? [script(given)] : last ? ['undefined'] : []),
    ...(last ? [script(options)] : []),
  ]
  return [
    `import { createClient } from '@wamux/client'`,
    '',
    `const wamux = createClient({ url: ${JSON.stringify(url)}, ${token} })`,
    `const answer = await wamux.${method.toLowerCase()}(${args.join(', ')})`,
  ].join('\n')
}

function python({ request, url, isOfSession, idempotencyKey }: SnippetParts): string {
  const { method, path, query, body, hasBody } = request
  const variable = isOfSession ? 'WAMUX_TOKEN' : 'WAMUX_ADMIN_TOKEN'
  const headers = [
    `${isOfSession ? '"token"' : '"admintoken"'}: os.environ["${variable}"]`,
    ...(idempotencyKey ? [`"Idempotency-Key": ${JSON.stringify(idempotencyKey)}`] : []),
  ]
  return [
    'import os',
    'import requests',
    '',
    'answer = requests.request(',
    `    "${method}",`,
    `    ${JSON.stringify(url + path)},`,
    `    headers={${headers.join(', ')}},`,
    ...(Object.keys(query).length > 0 ? [`    params=${literal(query, 1)},`] : []),
    ...(hasBody ? [`    json=${literal(shortened(body), 1)},`] : []),
    '    timeout=100,',
    ')',
    'print(answer.json())',
  ].join('\n')
}

function searchOf({ query }: Composed): string {
  const search = new URLSearchParams(query).toString()
  return search ? `?${search}` : ''
}

/** Quotes one shell argument, whatever it contains. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Names without quotes where they need none. */
function script(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:')
}

function literal(value: unknown, depth: number): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const [inner, outer] = [depth + 1, depth].map((one) => '    '.repeat(one))
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, depth + 1))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${literal(one, depth + 1)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${outer}${close}`
}

function shortened(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > MAX_VALUE ? `${value.slice(0, 60)}…` : value,
    ]),
  )
}
