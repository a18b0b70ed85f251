import { gatewayError, type Static, T } from 'wamux/plugin'

const MAX_PARTS = 50
const MAX_PATH = 200
const MAX_TEXT = 2_000
/** Characters of a text after its values were filled in: a template may name a long value many times. */
const MAX_FILLED = 65_536
/** Texts that place the same value, or one that contains it. */
const MAX_COPIES = 8
/** A body grows by its values to at most four times its size. */
const MAX_ADDED_TIMES = 3
const MAX_ADDED_BYTES = 4_000_000
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
      'Texts by path, in which {{path}} is replaced by the value in the body as it was; alone, it keeps its type. A filled text is cut after 65,536 characters. Values from the body add at most three times its size and 4,000,000 bytes to it',
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

/** Throws FIELD_INVALID with the name of the field for something that is not a path, and for too many copies of a value. */
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
  const placed = Object.values(texts).flatMap((text) => aloneIn(text) ?? [])
  for (const path of placed) {
    const copies = placed.filter((other) => `${path}.`.startsWith(`${other}.`)).length
    if (copies > MAX_COPIES)
      throw gatewayError('FIELD_INVALID', [
        'Transform.Set',
        `"{{${path}}}" is placed ${copies} times, at most ${MAX_COPIES} are possible; place smaller parts of it`,
      ])
  }
}

/**
 * The body after the changes. One that is not a JSON object stays as it is. Values are read from the body as it was and placed
 * as copies, so no value can contain itself. Throws FIELD_INVALID, with the name of the field, where copies add too much.
 */
export function transformed(body: Buffer, { Pick = [], Rename = {}, Set: texts = {} }: Transform): Buffer {
  const text = body.toString()
  const before: unknown = JSON.parse(text)
  if (!isObject(before)) return body
  const after: Json = Pick.length > 0 ? {} : JSON.parse(text)
  const added = Math.min(MAX_ADDED_TIMES * body.length, MAX_ADDED_BYTES)
  let left = Pick.length > 0 ? added + body.length : added

  /** Counts the bytes of what is placed at that path. @param json what it becomes in the body. */
  function count(field: string, path: string, json: string): void {
    left -= Buffer.byteLength(json)
    if (left >= 0) return
    const rule = `values may add at most ${added.toLocaleString('en')} bytes to this body of ${body.length.toLocaleString('en')}`
    throw gatewayError('FIELD_INVALID', [
      field,
      `too much for "${path}": ${rule}; place fewer or smaller ones`,
    ])
  }
  function copied(field: string, path: string, value: unknown): unknown {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'string') return value
    const json = JSON.stringify(value)
    count(field, path, json)
    return JSON.parse(json)
  }
  function filled(path: string, template: string): unknown {
    const alone = aloneIn(template)
    if (alone !== undefined) return copied('Transform.Set', path, valueAt(before, alone) ?? null)
    let made = ''
    for (const [index, part] of partsOf(template).entries()) {
      const value = index % 2 === 1 ? textOf(valueAt(before, part), MAX_FILLED) : part
      if (index % 2 === 1) count('Transform.Set', path, JSON.stringify(value))
      made += value
      if (made.length > MAX_FILLED) return made.slice(0, MAX_FILLED)
    }
    return made
  }

  for (const path of outermost(Pick))
    place(after, path, copied('Transform.Pick', path, valueAt(before, path)))
  for (const [from, to] of Object.entries(Rename)) {
    const value = valueAt(after, from)
    place(after, to, remove(after, from) ? value : copied('Transform.Rename', to, value))
  }
  for (const [path, template] of Object.entries(texts)) place(after, path, filled(path, template))
  return Buffer.from(JSON.stringify(after))
}

/** Without the paths inside another one. */
function outermost(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => path.startsWith(`${other}.`)))
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

/** Whether it is gone: an item of a list stays. */
function remove(from: Json, path: string): boolean {
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  const parent = steps.length > 0 ? valueAt(from, steps.join('.')) : from
  return isObject(parent) && delete parent[last]
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

/** The path of a template that is nothing else. */
function aloneIn(text: string): string | undefined {
  const [head, path, tail, ...more] = partsOf(text)
  return head === '' && tail === '' && more.length === 0 ? path : undefined
}

function textOf(value: unknown, maxLength: number): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value).slice(0, maxLength)
}
