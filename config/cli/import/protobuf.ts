/** The fields of a Protocol Buffers message by number; repeated ones in order. */
export interface ProtobufFields {
  bytes(field: number): Buffer | undefined
  number(field: number): number
  /** Messages in it. */
  message(field: number): ProtobufFields | undefined
  messages(field: number): ProtobufFields[]
  /** Numbers, packed or not. */
  numbers(field: number): number[]
}

/** Throws RangeError on bytes that are not a message. */
export function readFields(data: Buffer): ProtobufFields {
  const found = new Map<number, (number | Buffer)[]>()
  let at = 0
  const skip = (size: number): Buffer => {
    if (at + size > data.length) throw new RangeError('the message is cut off')
    at += size
    return data.subarray(at - size, at)
  }
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = skip(1).readUInt8()
      value += (byte & 127) * scale
      if (byte < 128) return value
      if (scale > 2 ** 56) throw new RangeError('a number is too long')
    }
  }
  while (at < data.length) {
    const tag = varint()
    const values = found.get(Math.floor(tag / 8)) ?? []
    found.set(Math.floor(tag / 8), values)
    if (tag % 8 === 0) values.push(varint())
    else if (tag % 8 === 1) values.push(skip(8))
    else if (tag % 8 === 2) values.push(skip(varint()))
    else if (tag % 8 === 5) values.push(skip(4))
    else throw new RangeError(`there is no wire type ${tag % 8}`)
  }
  const all = (field: number): (number | Buffer)[] => found.get(field) ?? []
  const bytes = (field: number): Buffer | undefined => all(field).filter(Buffer.isBuffer).at(-1)
  return {
    bytes,
    number: (field) =>
      all(field)
        .filter((value) => typeof value === 'number')
        .at(-1) ?? 0,
    message(field) {
      const data = bytes(field)
      return data && readFields(data)
    },
    messages: (field) => all(field).filter(Buffer.isBuffer).map(readFields),
    numbers: (field) =>
      all(field).flatMap((value) => (typeof value === 'number' ? [value] : unpacked(value))),
  }
}

function unpacked(data: Buffer): number[] {
  const numbers: number[] = []
  let value = 0
  let scale = 1
  for (const byte of data) {
    value += (byte & 127) * scale
    scale *= 128
    if (byte > 127) continue
    numbers.push(value)
    value = 0
    scale = 1
  }
  return numbers
}
