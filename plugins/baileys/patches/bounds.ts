import { createRequire } from 'node:module'

/**
 * What a message may be. Anybody may send any bytes, and what reads them afterwards (decoding, conversion to JSON and back,
 * formats) recurses and loops: beyond these bounds it would overflow the stack or hold up every session. No client sends as much.
 */
export const BOUNDS = {
  /** Levels of nested messages. A quote has three, and apps quote without the quotes of the quoted. */
  depth: 100,
  /**
   * Texts, byte strings, nested messages and numbers of lists together. Apps mention the 1,024 members of a group, send 257
   * contacts and 12 options of a poll; a long answer of Meta AI with highlighted code has some thousands.
   */
  values: 10_000,
  /** A text of 65,536 characters has 256 KiB at most, a thumbnail some 100 KiB; files are not in the message. */
  bytes: 1024 * 1024,
} as const

interface Reader {
  readonly buf: Uint8Array
  readonly len: number
  pos: number
}
type Source = Reader | Uint8Array
interface Class {
  new (): object
  decode(source: Source, length?: number, end?: number): object
}
interface Protobuf {
  readonly Reader: { readonly prototype: Reading }
  readonly BufferReader: { readonly prototype: Reading }
}
interface Reading {
  string(this: Reader): string
  bytes(this: Reader): Uint8Array<ArrayBuffer>
}

const require = createRequire(import.meta.url)
const protobuf = createRequire(require.resolve('@whiskeysockets/baileys/WAProto/index.js'))(
  'protobufjs/minimal.js',
) as Protobuf

/** Of the decoding in progress, which is synchronous. */
let depth = 0
let values = 0
/** Levels of `Message` in progress. */
let contents = 0
let isTrusted = false

/** Decodes without the bounds what the gateway has encoded itself. Not for what somebody sent. */
export function trusted<T>(decode: () => T): T {
  isTrusted = true
  try {
    return decode()
  } finally {
    isTrusted = false
  }
}

function count(number: number): void {
  values += number
  if (contents > 0 && !isTrusted && values > BOUNDS.values)
    throw new Error(`the message has more than ${BOUNDS.values} values`)
}

/**
 * Bounds what is decoded of every class, wherever it is decoded: the generated code looks the function up at each call. A message
 * beyond the bounds throws; within something that has other messages, for example a part of the history, it has no content.
 */
export function patchBounds(proto: object): void {
  const { bytes } = protobuf.Reader.prototype
  // The reader of a Buffer inherits it.
  protobuf.Reader.prototype.bytes = function (this: Reader) {
    count(1)
    return bytes.call(this)
  }
  // As fast for a Uint8Array as for a Buffer, of which protobufjs alone reads texts natively.
  for (const { prototype } of [protobuf.Reader, protobuf.BufferReader])
    prototype.string = function (this: Reader & Reading) {
      const { buffer, byteOffset, length } = this.bytes()
      return Buffer.from(buffer, byteOffset, length).toString()
    }
  for (const one of classesIn(proto)) bound(one, one === (proto as { Message?: unknown }).Message)
}

function bound(target: Class, isContent: boolean): void {
  const { decode } = target
  // Lists of texts, bytes and messages are counted as they are read.
  const hasNumbers = /\.push\(r\.(?!string|bytes)\w+\(\)\)/.test(String(decode))

  function read(source: Source, length?: number, end?: number): object {
    const message = decode.call(target, source, length, end)
    if (hasNumbers) for (const list of Object.values(message)) if (Array.isArray(list)) count(list.length)
    return message
  }

  function readContent(source: Source, length?: number, end?: number): object {
    if (contents === 0) values = 0
    const size = length ?? (source instanceof Uint8Array ? source.length : source.len - source.pos)
    const start = source instanceof Uint8Array ? 0 : source.pos
    contents += 1
    try {
      if (size > BOUNDS.bytes && !isTrusted)
        throw new Error(`the message has more than ${BOUNDS.bytes} bytes`)
      return read(source, length, end)
    } catch (error) {
      if (contents > 1 || depth === 1 || source instanceof Uint8Array || length === undefined) throw error
      source.pos = start + length
      return new target()
    } finally {
      contents -= 1
    }
  }

  target.decode = (source, length, end) => {
    depth += 1
    try {
      if (depth > BOUNDS.depth && !isTrusted)
        throw new Error(`the message is nested more than ${BOUNDS.depth} levels deep`)
      if (depth > 1) count(1)
      return isContent ? readContent(source, length, end) : read(source, length, end)
    } finally {
      depth -= 1
    }
  }
}

/** All classes of a namespace, and within classes. */
function classesIn(namespace: object): Class[] {
  return Object.values(namespace).flatMap((value: unknown) => {
    if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return []
    const isClass = 'decode' in value && typeof value.decode === 'function'
    return [...(isClass ? [value as Class] : []), ...classesIn(value)]
  })
}

export function verifyBounds({ Message }: { Message: unknown }): boolean {
  // Field 31, deviceSentMessage; in it 2, message.
  let nested = Buffer.alloc(0)
  for (let level = 0; level < BOUNDS.depth; level += 2) {
    for (const tag of [[0x12], [0xfa, 0x01]]) {
      const size = nested.length < 128 ? [nested.length] : [(nested.length & 0x7f) | 0x80, nested.length >> 7]
      nested = Buffer.from([...tag, ...size, ...nested])
    }
  }
  try {
    ;(Message as Class).decode(nested)
    return false
  } catch (error) {
    return error instanceof Error && error.message.includes('nested')
  }
}
