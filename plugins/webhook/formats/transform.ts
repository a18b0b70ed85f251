import { gatewayError, type Static, T } from 'wamux/plugin'

const MAX_PARTS = 50
const MAX_PATH = 200
const MAX_TEXT = 2_000
/** Characters of a text after its values were filled in: a template may name a long value many times. */
const MAX_FILLED = 65_536
const STEP = /^[\w-]{1,100}$/

const table = (maxLength: number, description: string) =>
  T.Optional(
    T.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: MAX_PARTS,
      additionalProperties: { type: 'string', minLength: 1, maxLength },
      description,
    }),
  )

/** What becomes of the JSON of a body before it is signed; paths are names joined by dots, as `message.from.phone`. */
export const Transform = T.Object(
  {
    Pick: T.Optional(
      T.Array(T.String({ minLength: 1, maxLength: MAX_PATH }), {
        maxItems: MAX_PARTS,
        description: 'Keeps only these paths; everything when absent or empty',
      }),
    ),
    Rename: table(MAX_PATH, 'Moves the value at a path to another one'),
    Set: table(
      MAX_TEXT,
      'Texts by path, in which {{path}} is replaced by the value in the body as it was; alone, it keeps its type. A filled text is cut after 65,536 characters',
    ),
  },
  {
    additionalProperties: false,
    description:
      'Changes the JSON of the bodies: Pick, then Rename, then Set. Replaces the previous one, `{}` removes it',
  },
)

export type Transform = Static<typeof Transform>

type Json = Record<string, unknown>

export function isEmpty({ Pick = [], Rename = {}, Set: texts = {} }: Transform): boolean {
  return Pick.length === 0 && Object.keys(Rename).length === 0 && Object.keys(texts).length === 0
}

/** Throws FIELD_INVALID with the name of the field for something that is not a path. */
export function checkTransform({ Pick = [], Rename = {}, Set: texts = {} }: Transform): void {
  const named: [field: string, paths: string[]][] = [
    ['Transform.Pick', Pick],
    ['Transform.Rename', Object.entries(Rename).flat()],
    ['Transform.Set', [...Object.keys(texts), ...Object.values(texts).flatMap((text) => pathsIn(text))]],
  ]
  for (const [field, paths] of named)
    for (const path of paths)
      if (path.length > MAX_PATH || !path.split('.').every((step) => STEP.test(step) && step !== '__proto__'))
        throw gatewayError('FIELD_INVALID', [field, `"${path}" is no path: names joined by dots`])
}

/** The body after the changes. One that is not a JSON object stays as it is. */
export function transformed(body: Buffer, { Pick = [], Rename = {}, Set: texts = {} }: Transform): Buffer {
  const before: unknown = JSON.parse(body.toString())
  if (!isObject(before)) return body
  const after: Json = Pick.length > 0 ? {} : structuredClone(before)
  for (const path of Pick) place(after, path, valueAt(before, path))
  for (const [from, to] of Object.entries(Rename)) {
    const value = valueAt(after, from)
    remove(after, from)
    place(after, to, value)
  }
  for (const [path, text] of Object.entries(texts)) place(after, path, filled(text, before))
  return Buffer.from(JSON.stringify(after))
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function valueAt(from: unknown, path: string): unknown {
  let value = from
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Json)[step]
  }
  return value
}

/** Creates the objects on the way, in place of anything else that is there; a missing value changes nothing. */
function place(into: Json, path: string, value: unknown): void {
  if (value === undefined) return
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  let parent = into
  for (const step of steps) {
    const next = Object.hasOwn(parent, step) ? parent[step] : undefined
    const inner = isObject(next) ? next : {}
    parent[step] = inner
    parent = inner
  }
  parent[last] = value
}

function remove(from: Json, path: string): void {
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  const parent = steps.length > 0 ? valueAt(from, steps.join('.')) : from
  if (isObject(parent)) delete parent[last]
}

/** Parts of a template: every second one is a path. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let at = 0
  for (;;) {
    const open = text.indexOf('{{', at)
    const close = open < 0 ? -1 : text.indexOf('}}', open)
    if (close < 0) return [...parts, text.slice(at)]
    parts.push(text.slice(at, open), text.slice(open + 2, close).trim())
    at = close + 2
  }
}

function pathsIn(text: string): string[] {
  return partsOf(text).filter((_, index) => index % 2 === 1)
}

function filled(text: string, body: Json): unknown {
  const parts = partsOf(text)
  const [head, path = '', tail] = parts
  if (parts.length === 3 && head === '' && tail === '') return valueAt(body, path) ?? null
  let made = ''
  for (const [index, part] of parts.entries()) {
    made += index % 2 === 1 ? textOf(valueAt(body, part)) : part
    if (made.length > MAX_FILLED) return made.slice(0, MAX_FILLED)
  }
  return made
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
