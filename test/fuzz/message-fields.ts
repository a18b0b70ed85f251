import { createRequire } from 'node:module'
import { field, varint } from '../support/plain.ts'

interface Type {
  readonly name: string
  readonly fieldsArray?: readonly Field[]
}
interface Field {
  readonly id: number
  readonly name: string
  readonly type: string
  readonly repeated: boolean
  readonly resolvedType: Type | null
}

/** A field of a message or of something in one, with the fields that lead to it. */
export interface Place {
  readonly path: readonly Field[]
  readonly field: Field
  /** The fields that lead from it to the same type again, if it can nest. */
  readonly round?: readonly Field[]
}

export interface Mutation {
  readonly name: string
  readonly plain: Buffer
}

const require = createRequire(import.meta.url)
const proto = require.resolve('@whiskeysockets/baileys/WAProto/index.js')

/** Every field of the driver's protobuf that a message can have, in it or below, each once. */
export async function placesInMessage(): Promise<Place[]> {
  const protobuf = createRequire(proto)('protobufjs') as {
    load(file: string): Promise<{ resolveAll(): void; lookupType(name: string): Type }>
  }
  const root = await protobuf.load(proto.replace(/index\.js$/, 'WAProto.proto'))
  root.resolveAll()
  const message = root.lookupType('proto.Message')
  const paths = pathsFrom(message)
  return [...paths].flatMap(([type, path]) =>
    (type.fieldsArray ?? []).map((one) => {
      const below = one.resolvedType?.fieldsArray ? pathsFrom(one.resolvedType).get(type) : undefined
      return { path, field: one, ...(below ? { round: [one, ...below] } : {}) }
    }),
  )
}

/** The shortest path to each type. */
function pathsFrom(type: Type): Map<Type, Field[]> {
  const paths = new Map<Type, Field[]>([[type, []]])
  // A map gives what is added while it is read, too.
  for (const [at, path] of paths)
    for (const one of at.fieldsArray ?? [])
      if (one.resolvedType?.fieldsArray && !paths.has(one.resolvedType))
        paths.set(one.resolvedType, [...path, one])
  return paths
}

const LENGTHS = [0, 1, 70_000, 1_100_000]
const COUNTS = [0, 12, 3_000, 12_000]
const ROUNDS = [5, 30, 1_000]

/** The field with other lengths, counts and depths, and as what it is not. */
export function mutationsOf({ path, field: target, round }: Place): Mutation[] {
  const name = [...path, target].map((one) => one.name).join('.')
  const put = (what: string, content: Buffer): Mutation => ({
    name: `${name}: ${what}`,
    plain: within(path, content),
  })
  const isLong = target.type === 'string' || target.type === 'bytes'
  const isNumber = !isLong && !target.resolvedType?.fieldsArray
  const one = isNumber ? Buffer.concat([varint(target.id * 8), varint(1)]) : field(target.id, Buffer.alloc(0))
  return [
    put('one', one),
    put('cut off', Buffer.concat([varint(target.id * 8 + 2), varint(50)])),
    put('another type', Buffer.concat([varint(target.id * 8 + 1), Buffer.alloc(8, 0xff)])),
    ...(isLong ? LENGTHS.map((size) => put(`${size} bytes`, field(target.id, Buffer.alloc(size, 'a')))) : []),
    ...(target.repeated ? COUNTS.map((count) => put(`${count} times`, repeated(one, count))) : []),
    ...(isNumber && target.repeated ? [put('packed', field(target.id, Buffer.alloc(900_000, 1)))] : []),
    ...(round ? ROUNDS.map((count) => put(`${count} rounds`, nested(round, count))) : []),
  ]
}

function within(path: readonly Field[], content: Buffer): Buffer {
  return path.reduceRight((inner, { id }) => field(id, inner), content)
}

function repeated(one: Buffer, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => one))
}

function nested(round: readonly Field[], count: number): Buffer {
  const parts: Buffer[] = []
  let size = 0
  for (let i = 0; i < count; i += 1)
    for (const { id } of [...round].reverse()) {
      const head = Buffer.concat([varint(id * 8 + 2), varint(size)])
      parts.push(head)
      size += head.length
    }
  return Buffer.concat(parts.reverse())
}
