/** A class of Baileys' protobuf (WAProto), as its generated code calls it. */
export interface MessageClass {
  readonly prototype: object
  decode(source: never, length?: number): object
  encode(message: never, writer?: never): unknown
  fromObject(object: { [name: string]: unknown }): object
  toObject(message: never, options?: never): { [name: string]: unknown }
}

/** A field that WAProto lacks, with the protobuf wire type LEN: bytes or a message. */
export interface AddedField {
  readonly number: number
  /** Its property name. */
  readonly name: string
  decode(bytes: Uint8Array): unknown
  encode(value: unknown): Uint8Array
  /** Conversion from and to plain objects. */
  fromObject(value: unknown): unknown
  toObject(value: unknown, options?: ConversionOptions): unknown
}

export interface ConversionOptions {
  /** `String` for base64. */
  bytes?: unknown
}

type Reader = { readonly buf: Uint8Array; readonly pos: number }
type Writer = { uint32(value: number): Writer; bytes(value: Uint8Array): Writer }
type Values = Record<string, unknown>

const LENGTH_DELIMITED = 2

/**
 * Adds a field to a class, including messages nested in others: the generated code looks its functions up at each call.
 * Unknown fields are dropped during decoding, so the field is read from the raw bytes.
 */
export function addField(target: MessageClass, field: AddedField): void {
  const { name, number } = field
  const tag = tagOf(number)
  const tagBytes = varintOf(tag)
  const { decode, encode, fromObject, toObject } = target as unknown as Record<
    keyof MessageClass,
    (this: MessageClass, ...args: unknown[]) => object
  >
  const valueIn = (message: object): unknown => (message as Values)[name] ?? undefined
  const patched = {
    decode(source: Reader | Uint8Array, length?: number): object {
      const bytes = source instanceof Uint8Array ? source : source.buf
      const start = source instanceof Uint8Array ? 0 : source.pos
      const message = decode.call(target, source, length)
      const end = source instanceof Uint8Array ? bytes.length : source.pos
      const found = find(bytes.subarray(start, end), tag, tagBytes)
      if (found) Object.assign(message, { [name]: field.decode(found) })
      return message
    },
    encode(message: object, writer?: unknown): object {
      const written = encode.call(target, message, writer)
      const value = valueIn(message)
      if (value !== undefined) (written as Writer).uint32(tag).bytes(field.encode(value))
      return written
    },
    fromObject(object: Values): object {
      const message = fromObject.call(target, object)
      const value = valueIn(object)
      // A value that is already a message is returned unchanged.
      if (value !== undefined && message !== object)
        Object.assign(message, { [name]: field.fromObject(value) })
      return message
    },
    toObject(message: object, options?: ConversionOptions): object {
      const object = toObject.call(target, message, options)
      const value = valueIn(message)
      return value === undefined ? object : Object.assign(object, { [name]: field.toObject(value, options) })
    },
  }
  Object.assign(target, patched)
}

/** The value of a LEN field, the last one if there are several; undefined without one. */
export function readField(bytes: Uint8Array, number: number): Uint8Array | undefined {
  const tag = tagOf(number)
  return find(bytes, tag, varintOf(tag))
}

/** Encodes a LEN field. */
export function writeField(number: number, value: Uint8Array): Buffer {
  return Buffer.concat([varintOf(tagOf(number)), varintOf(value.length), value])
}

/** Plain values have bytes as base64 or unchanged. */
export const bytesField = {
  decode: (bytes: Uint8Array): Uint8Array => Buffer.from(bytes),
  encode: (value: unknown): Uint8Array => value as Uint8Array,
  fromObject: (value: unknown): Uint8Array =>
    typeof value === 'string' ? Buffer.from(value, 'base64') : Buffer.from(value as Uint8Array),
  toObject: (value: unknown, options?: ConversionOptions): unknown =>
    options?.bytes === String ? Buffer.from(value as Uint8Array).toString('base64') : value,
}

function tagOf(number: number): number {
  return (number << 3) | LENGTH_DELIMITED
}

function find(bytes: Uint8Array, tag: number, tagBytes: Buffer): Uint8Array | undefined {
  // Most messages do not contain these bytes at all.
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(tagBytes) < 0) return undefined
  let found: Uint8Array | undefined
  let at = 0
  while (at < bytes.length) {
    const head = varint(bytes, at)
    if (!head) return found
    const value = spanOf(bytes, head.end, head.value & 7)
    if (!value) return found
    if (head.value === tag) found = bytes.subarray(value.start, value.end)
    at = value.end
  }
  return found
}

/** Start and end of a field's value; undefined for invalid protobuf. */
function spanOf(bytes: Uint8Array, at: number, type: number): { start: number; end: number } | undefined {
  if (type === 1) return { start: at, end: at + 8 }
  if (type === 5) return { start: at, end: at + 4 }
  const number = varint(bytes, at)
  if (!number) return undefined
  if (type === 0) return { start: at, end: number.end }
  return type === LENGTH_DELIMITED ? { start: number.end, end: number.end + number.value } : undefined
}

function varint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0
  for (let i = 0; i < 10; i += 1) {
    const byte = bytes[at + i]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { value, end: at + i + 1 }
  }
  return undefined
}

function varintOf(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
