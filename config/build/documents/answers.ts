import { isDeepStrictEqual } from 'node:util'
import { isGatewayError } from '../../../kernel/errors.ts'
import type { BodyCheck } from '../../../kernel/http/bodies/check.ts'
import { prepare } from '../../../kernel/wiring/prepare.ts'
import { loadConfig } from '../../load.ts'
import { table } from './endpoints.ts'
import { fieldsOf, type Shape, sampleOf, typesOf } from './samples.ts'

const HEAD = `# What each field takes

Made by \`npm run docs\`, and part of the package. For every endpoint of the interface, what becomes of a field in a body that
is valid otherwise, before the handler sees it: *taken* as it was sent, *→* as what it is taken for, *absent*, or the
error that is answered. The column *number* is a number as text where a number is meant, else the number 5; *other type*
is a value of a type that the field does not have; *other case* is the field's name in capitals, or in small letters.
\`!\` marks a required field. An object that several endpoints share is shown where it comes first.
`

const COLUMNS = ['field', 'null', '""', 'number', 'other type', 'other case'] as const

type Path = readonly (string | number)[]

/** The table as a Markdown document. */
export async function answers(): Promise<string> {
  const { plugins } = await loadConfig({})
  const routes = prepare(plugins).flatMap((entry) => entry.routes)
  const seen = new Map<string, string>()
  const sections = table.map(({ method, path }) => {
    const mounted = routes.find(({ route }) => route.method === method && route.path === path)
    const name = `${method} ${path}`
    const schema = mounted?.route.spec.body as Shape | undefined
    if (!mounted?.check || !schema) return `## ${name}\n\nReads no body.\n`
    const rows = rowsOf(mounted.check, schema, { name, seen })
    return `## ${name}\n\n${[line(COLUMNS), line(COLUMNS.map(() => '---')), ...rows].join('\n')}\n`
  })
  return [HEAD, ...sections].join('\n')
}

interface Shown {
  name: string
  /** Objects that were shown before, and where. */
  seen: Map<string, string>
}

function rowsOf(check: BodyCheck, schema: Shape, { name, seen }: Shown): string[] {
  const rows: string[] = []
  const add = (object: Shape, path: Path): void => {
    const required = new Set(object.required ?? [])
    for (const [key, shape] of Object.entries(object.properties ?? {})) {
      const place = [...path, key]
      const isRequired = required.has(key) && shape.default === undefined
      rows.push(line([`${place.join('.')}${isRequired ? '!' : ''}`, ...cellsOf(check, schema, place, shape)]))
      for (const [inner, below] of fieldsOf(shape)) {
        const id = JSON.stringify(inner)
        const first = seen.get(id)
        if (first && first !== name)
          rows.push(line([`${[...place, ...below].join('.')}.…`, `as in ${first}`]))
        else add(inner, [...place, ...below])
        if (!first) seen.set(id, name)
      }
    }
    const place = [...path, 'Unknown']
    rows.push(line([place.join('.'), fate(check, withValue(schema, place, 1), place, 1)]))
  }
  add(schema, [])
  return rows
}

function cellsOf(check: BodyCheck, schema: Shape, place: Path, shape: Shape): string[] {
  const types = typesOf(shape)
  const sample = sampleOf(shape)
  const other = !types.has('object') ? {} : types.has('string') ? true : 'word'
  const values = [null, '', types.has('number') ? '1' : 5, other]
  const key = String(place.at(-1))
  const spelled = key.toUpperCase() === key ? key.toLowerCase() : key.toUpperCase()
  const renamed = withValue(schema, [...place.slice(0, -1), spelled], sample, key)
  return [
    ...values.map((value) => fate(check, withValue(schema, place, value), place, value)),
    fate(check, renamed, place, sample),
  ]
}

/** A valid body with all that is required, what leads to `place`, and the value there. */
function withValue(schema: Shape, place: Path, value: unknown, without?: string): unknown {
  const body = sampleOf(schema, place)
  const parent = at(body, place.slice(0, -1)) as Record<string, unknown>
  if (without !== undefined) delete parent[without]
  parent[String(place.at(-1))] = value
  return body
}

function fate(check: BodyCheck, body: unknown, place: Path, sent: unknown): string {
  const ignored: string[] = []
  try {
    const taken = at(
      check(structuredClone(body), (path) => void ignored.push(path)),
      place,
    )
    if (ignored.length > 0) return `ignored: ${ignored.join(', ')}`
    if (taken === undefined) return 'absent'
    return same(taken, sent) ? 'taken' : `→ ${JSON.stringify(taken)}`
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return `${error.status} ${error.message}`
  }
}

/** Normalized objects have no prototype. */
function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value)
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`
}
