/** A request of an example. */
export interface ExampleCall {
  readonly method: string
  /** With the values of its variables. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly header: 'token' | 'admintoken' | undefined
  readonly body: unknown
  /** The body is a file of the caller. */
  readonly isFile: boolean
}

const ORIGIN = 'http://localhost:8080'
/** The longest text of an example that is shown whole: files in data URLs are longer. */
const SHOWN = 200

export function curl({ method, header, body, isFile, ...call }: ExampleCall): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(addressOf(call))}`]
  if (header) lines.push(`-H "${header}: $${variableOf(header)}"`)
  if (isFile) lines.push('--data-binary @file')
  else if (body !== undefined) lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(json(body))}`)
  return lines.join(' \\\n  ')
}

/** Without a library: `@wamux/client` has the same calls with types. */
export function typescript({ method, header, body, isFile, ...call }: ExampleCall): string {
  const headers = [
    ...(header ? [`${header}: process.env.${variableOf(header)} ?? ''`] : []),
    ...(body !== undefined && !isFile ? [`'Content-Type': 'application/json'`] : []),
  ]
  const given = isFile ? `await readFile('file')` : body === undefined ? '' : `JSON.stringify(${json(body)})`
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} },`] : []),
    ...(given ? [`body: ${given},`] : []),
  ]
  const inner = options.map((line) => `  ${line.replaceAll('\n', '\n  ')}\n`).join('')
  return [
    ...(isFile ? [`import { readFile } from 'node:fs/promises'\n`] : []),
    `const response = await fetch('${addressOf(call)}'${options.length > 0 ? `, {\n${inner}}` : ''})`,
    'const { data, error, errorCode } = await response.json()',
  ].join('\n')
}

export function python({ method, header, body, isFile, ...call }: ExampleCall): string {
  const given = [
    `"${addressOf(call)}"`,
    ...(header ? [`headers={"${header}": os.environ["${variableOf(header)}"]}`] : []),
    ...(isFile
      ? ['data=open("file", "rb")']
      : body === undefined
        ? []
        : [`json=${pythonOf(shortened(body))}`]),
  ]
  return [
    ...(header ? ['import os'] : []),
    'import requests\n',
    `response = requests.${method.toLowerCase()}(`,
    ...given.map((line) => `    ${line.replaceAll('\n', '\n    ')},`),
    ')',
    'answer = response.json()',
  ].join('\n')
}

function variableOf(header: string): string {
  return header === 'token' ? 'TOKEN' : 'ADMIN'
}

function addressOf({ path, query }: Pick<ExampleCall, 'path' | 'query'>): string {
  const search = new URLSearchParams(query).toString()
  return `${ORIGIN}${path}${search ? `?${search}` : ''}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function json(value: unknown): string {
  return JSON.stringify(shortened(value), null, 2)
}

/** With an ellipsis in place of most of a file. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > SHOWN ? `${value.slice(0, 60)}…` : value
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]))
}

/** A value as a literal of Python. */
function pythonOf(value: unknown, indent = ''): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const deeper = `${indent}    `
  const lines = Array.isArray(value)
    ? value.map((inner) => `${deeper}${pythonOf(inner, deeper)},\n`)
    : Object.entries(value).map(
        ([name, inner]) => `${deeper}${JSON.stringify(name)}: ${pythonOf(inner, deeper)},\n`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join('')}${indent}${close}`
}
