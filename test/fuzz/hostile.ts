/** Texts that make an expression, or a loop, take time by the square of their length. */
const REPEATED: Readonly<Record<string, readonly [part: string, end: string]>> = {
  'slashes and a line break': ['/', '\nx'],
  blanks: [' ', 'x'],
  'addresses without an end': ['a@', ''],
  digits: ['1', 'x'],
  commas: [',', ''],
  quotes: ['"', ''],
  'marks and a line break': ['#?:;=.', '\nx'],
  'line breaks': ['\r\n', ' x'],
}

export const HOSTILE: readonly string[] = Object.keys(REPEATED)
/** Kind of a text that takes no longer than its length: letters. */
export const HARMLESS = 'letters'

/** A text of that kind with so many characters. */
export function hostileText(kind: string, length: number): string {
  const [part, end] = REPEATED[kind] ?? ['x', '']
  const count = Math.ceil(length / part.length)
  return part.repeat(count).slice(0, Math.max(0, length - end.length)) + end.slice(0, length)
}

interface Shape {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  maxLength?: number
  maxSize?: number
  properties?: Record<string, Shape>
  additionalProperties?: boolean | Shape
  items?: Shape
  anyOf?: Shape[]
}

/** A text field of a body. */
export interface TextField {
  /** `Rows[].Title` */
  readonly path: string
  /** Characters that it may have. */
  readonly most: number
}

/** The text fields of a schema; a value of any shape is one, too. */
export function textFields(schema: unknown, path = ''): TextField[] {
  const { enum: values, const: value, anyOf, items, properties, ...shape } = (schema ?? {}) as Shape
  if (values || value !== undefined) return []
  const inner = (name: string): string => (path ? `${path}.${name}` : name)
  const own = [shape.type].flat().includes('string') && shape.maxLength !== undefined
  const isOpen = shape.maxSize !== undefined && path !== ''
  return [
    ...(own ? [{ path, most: shape.maxLength ?? 0 }] : []),
    ...(isOpen ? [{ path: inner('any'), most: shape.maxSize ?? 0 }] : []),
    ...(anyOf ?? []).flatMap((one) => textFields({ ...(own ? {} : shape), ...one }, path)),
    ...(items ? textFields(items, `${path}[]`) : []),
    ...Object.entries(properties ?? {}).flatMap(([name, field]) => textFields(field, inner(name))),
    ...(typeof shape.additionalProperties === 'object'
      ? textFields(shape.additionalProperties, inner('any'))
      : []),
  ]
}

/** A copy of `body` with `text` in a field, in front of which what the example has there is kept where it has to be. */
export function withField(body: unknown, path: string, text: (example: string) => string): object {
  const copy = structuredClone(body ?? {}) as Record<string, unknown>
  const steps = path.split('.').flatMap((step) => (step.endsWith('[]') ? [step.slice(0, -2), 0] : [step]))
  let place = copy as Record<string | number, unknown>
  for (const [at, step] of steps.entries()) {
    const next = steps[at + 1]
    if (next === undefined) {
      place[step] = text(typeof place[step] === 'string' ? place[step] : '')
      break
    }
    if (typeof place[step] !== 'object' || place[step] === null)
      place[step] = typeof next === 'number' ? [] : {}
    place = place[step] as Record<string | number, unknown>
  }
  return copy
}
