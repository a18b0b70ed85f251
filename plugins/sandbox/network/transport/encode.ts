import type { GatewayServices } from 'wamux/plugin'
import type { Stanza } from '../../types.ts'

const JID = /^[a-z0-9-]*(:\d+)?@[a-z.]+$/

/**
 * Encodes a stanza. Baileys' encoder treats every attribute with an `@` as a JID and corrupts other text
 * (WABinary/encode.js writeString), such as a group named `Team: a@b`. Stanzas with such text are encoded
 * without compression.
 */
export function encode(wire: GatewayServices['wire'], stanza: Stanza): Uint8Array {
  return isMisread(stanza)
    ? Buffer.concat([Buffer.of(0), plain(stanza)])
    : wire.encodeBinaryNode(stanza as never)
}

function isMisread({ attrs, content }: Stanza): boolean {
  const isText = (value: string): boolean => value.includes('@') && !JID.test(value)
  return Object.values(attrs).some(isText) || (Array.isArray(content) && content.some(isMisread))
}

/** Uses lists and raw strings only, no dictionary and no packing. */
function plain({ tag, attrs, content }: Stanza): Buffer {
  const words = [tag, ...Object.entries(attrs).flat()].map(sized)
  if (content === undefined) return Buffer.concat([list(words.length), ...words])
  const inner = Array.isArray(content) ? [list(content.length), ...content.map(plain)] : [sized(content)]
  return Buffer.concat([list(words.length + 1), ...words, ...inner])
}

function list(size: number): Buffer {
  return size < 256 ? Buffer.of(248, size) : Buffer.of(249, size >> 8, size & 0xff)
}

function sized(text: string | Buffer): Buffer {
  const data = Buffer.from(text as string)
  const { length } = data
  if (length < 256) return Buffer.concat([Buffer.of(252, length), data])
  const head = Buffer.alloc(5, 254)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, data])
}
