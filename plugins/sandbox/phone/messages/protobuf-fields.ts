const LENGTH_DELIMITED = 2

/** A field with bytes, of a protobuf message of which WAProto has no class. */
export function fieldOf(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint((number << 3) | LENGTH_DELIMITED), varint(content.length), content])
}

/** The fields with bytes of a protobuf message that has no others. */
export function fieldsOf(bytes: Buffer): { number: number; content: Buffer }[] {
  const fields: { number: number; content: Buffer }[] = []
  let at = 0
  function next(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.readUInt8(at)
      at += 1
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = next()
    const size = next()
    fields.push({ number: tag >>> 3, content: bytes.subarray(at, at + size) })
    at += size
  }
  return fields
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
