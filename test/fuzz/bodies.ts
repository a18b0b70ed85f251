import fc, { type Arbitrary } from 'fast-check'

/** What of JSON schema the routes use. */
export interface Shape {
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  anyOf?: Shape[]
}

/** Words that mean something here, by what a field of them is called. */
export interface Known {
  readonly people: readonly string[]
  readonly groups: readonly string[]
  readonly newsletters: readonly string[]
  readonly messages: readonly string[]
  readonly files: readonly string[]
  readonly texts: readonly string[]
}

/** The text of a request's body: right, nearly right, or nothing of the kind. */
export function bodies(schema: Shape | undefined, known: Known): Arbitrary<string> {
  const right = valid(schema ?? { type: 'object', properties: {} }, known)
  return fc.oneof(
    { weight: 4, arbitrary: right.map((body) => JSON.stringify(body)) },
    { weight: 8, arbitrary: nearly(right, known).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom(...broken) },
  )
}

const DEEP = 50_000
const broken = [
  '{',
  'null',
  '""',
  '\u0000',
  '{"a":1}{"b":2}',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"Phone":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `{"Phone":"5511999999999","Body":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
]

function nearly(right: Arbitrary<unknown>, known: Known): Arbitrary<unknown> {
  const change = fc.record({
    place: fc.nat(),
    value: junk(known),
    kind: fc.constantFrom('set', 'drop', 'add'),
  })
  return fc.tuple(right, fc.array(change, { minLength: 1, maxLength: 3 })).map(([body, changes]) => {
    const next = { ...(body as Record<string, unknown>) }
    for (const { place, value, kind } of changes) {
      const names = Object.keys(next)
      const name = names[place % Math.max(names.length, 1)]
      if (kind === 'add') define(next, extra[place % extra.length] ?? 'extra', value)
      else if (name !== undefined && kind === 'drop') delete next[name]
      else if (name !== undefined) next[name] = value
    }
    return next
  })
}

const extra = ['extra', '__proto__', 'constructor', 'toString', 'Id', 'phone', ' Phone', '']

/** Also under a name like `__proto__`, which a plain assignment would not set. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

function junk(known: Known): Arbitrary<unknown> {
  return fc.oneof(
    words(known),
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(null, -1, 1e308, [], {}, [[]], ''),
  )
}

/** Mostly what the field of that name is there for, so that a body gets past its checks. */
function words(known: Known, field = ''): Arbitrary<string> {
  const [, kind] = KINDS.find(([name]) => name.test(field)) ?? []
  return fc.oneof(
    { weight: kind ? 20 : 0, arbitrary: fc.constantFrom(...known[kind ?? 'texts']) },
    { weight: 4, arbitrary: fc.constantFrom(...Object.values(known).flat()) },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )
}

const KINDS: readonly [RegExp, keyof Known][] = [
  [/^(group|community)/i, 'groups'],
  [/^JID$/, 'newsletters'],
  [/^(phone|jid|chat|to|sender|participant|statusjid|mentioned|lid)/i, 'people'],
  [/^(id|stanzaid|messageid)$/i, 'messages'],
  [/^(image|video|audio|document|sticker|media|jpeg|png)/i, 'files'],
  [/./, 'texts'],
]

const odd = [
  '\u0000\u0001\u001f\u007f',
  '\ud83d',
  '\u202e\u200f\ufeff',
  '👩‍👩‍👧‍👦'.repeat(50),
  '@',
  'a@b@c',
  "'; DROP TABLE sessions; --",
  '../../etc/passwd',
  'file:///etc/passwd',
  '%00%0d%0a',
  '9'.repeat(400),
  'x'.repeat(300_000),
]

function valid(shape: Shape, known: Known, name = ''): Arbitrary<unknown> {
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (shape.enum) return fc.constantFrom(...shape.enum)
  if (shape.anyOf) return fc.oneof(...shape.anyOf.map((branch) => valid(branch, known, name)))
  switch ([shape.type].flat()[0]) {
    case 'string':
      return text(shape, known, name)
    case 'integer':
      return fc.oneof(integer(shape), fc.constantFrom(shape.minimum ?? 0, Math.min(shape.maximum ?? 1, 1e6)))
    case 'number':
      return fc.double({ min: shape.minimum ?? -1e6, max: shape.maximum ?? 1e6, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(valid(shape.items ?? {}, known, name), {
        minLength: shape.minItems ?? 0,
        maxLength: Math.min(shape.maxItems ?? 4, 4),
      })
    case 'object':
      return object(shape, known)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function text(shape: Shape, known: Known, name: string): Arbitrary<string> {
  if (shape.pattern) return fc.stringMatching(new RegExp(shape.pattern))
  const isFit = (value: string): boolean =>
    value.length >= (shape.minLength ?? 0) && value.length <= (shape.maxLength ?? 1e9)
  return words(known, name).filter(isFit)
}

function integer({ minimum = -1000, maximum = 1_000_000 }: Shape): Arbitrary<number> {
  return fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) })
}

function object({ properties, required = [] }: Shape, known: Known): Arbitrary<unknown> {
  if (!properties) return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  const fields = Object.entries(properties).map(([name, field]) => [name, valid(field, known, name)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: required })
}
