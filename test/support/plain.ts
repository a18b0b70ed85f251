/** Encoded messages, written by hand: no client builds them, and any may send them. */

/** A field of the wire type LEN. */
export function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content])
}

export function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** Numbers of fields: of Message, of ExtendedTextMessage, and of ContextInfo. */
const [EXTENDED_TEXT, TEXT, CONTEXT, STANZA, QUOTED] = [6, 1, 17, 1, 3]

/** A text that quotes a text that quotes a text …; each quote is three levels of the message. */
export function nestedQuotes(count: number): Buffer {
  const head = (number: number, size: number): Buffer => Buffer.concat([varint(number * 8 + 2), varint(size)])
  const parts: Buffer[] = [field(1, Buffer.from('first'))]
  let size = parts[0]?.length ?? 0
  const put = (part: Buffer): void => {
    parts.push(part)
    size += part.length
  }
  for (let i = 0; i < count; i += 1) {
    put(head(QUOTED, size))
    put(field(STANZA, Buffer.from('3EB0000000000000000001')))
    put(head(CONTEXT, size))
    put(field(TEXT, Buffer.from(`quote ${i}`)))
    put(head(EXTENDED_TEXT, size))
  }
  return Buffer.concat(parts.reverse())
}
