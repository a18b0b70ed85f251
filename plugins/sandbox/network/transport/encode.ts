import type { Stanza } from '../../types.ts'
import { DOMAINS, TAGS, type Tokens } from './tags.ts'

/**
 * JIDs have their own encoding. Other text with an `@`, for example the name of a group, is not a JID to this encoder, while
 * Baileys' takes any for one (WABinary/encode.js writeString).
 */
const JID = /^([a-z0-9-]*)(?::(\d+))?@([a-z.]+)$/
const NIBBLES = '0123456789-.'
const HEX = '0123456789ABCDEF'
const MAX_PACKED = 127
/** Follows an odd number of characters. */
const PADDING = 15
const FIRST_BYTES = 512
const NUMBERS = new Map([...DOMAINS].map(([number, server]) => [server, number]))

/** Encodes stanzas. The result is valid until the next call. */
export function createEncoder({ single, double }: Tokens): (stanza: Stanza) => Buffer {
  const tokens = new Map<string, number>()
  for (const [index, token] of single.entries()) tokens.set(token, index)
  for (const [page, list] of double.entries())
    for (const [index, token] of list.entries()) tokens.set(token, ((TAGS.dictionary + page) << 8) | index)
  let out = Buffer.allocUnsafe(FIRST_BYTES)
  let at = 0

  /** Makes room for `count` bytes. */
  function need(count: number): void {
    if (at + count <= out.length) return
    out = Buffer.concat([out.subarray(0, at)], Math.max(out.length * 2, at + count))
  }

  function byte(value: number): void {
    need(1)
    out[at] = value
    at += 1
  }

  function bytes(data: Uint8Array): void {
    length(data.length)
    need(data.length)
    out.set(data, at)
    at += data.length
  }

  function length(size: number): void {
    need(5)
    if (size < 2 ** 8) {
      byte(TAGS.binary8)
      byte(size)
    } else if (size < 2 ** 20) {
      byte(TAGS.binary20)
      at = out.writeUIntBE(size, at, 3)
    } else {
      byte(TAGS.binary32)
      at = out.writeUInt32BE(size, at)
    }
  }

  function text(value: string): void {
    const token = value === '' ? undefined : tokens.get(value)
    if (token !== undefined) {
      if (token > 255) byte(token >> 8)
      byte(token & 255)
    } else if (!packed(value, NIBBLES, TAGS.nibble8) && !packed(value, HEX, TAGS.hex8) && !jid(value)) {
      bytes(Buffer.from(value))
    }
  }

  /** Packs two characters into a byte, if all are of this alphabet. */
  function packed(value: string, alphabet: string, tag: number): boolean {
    const { length: size } = value
    if (size === 0 || size > MAX_PACKED) return false
    const start = at
    const half = Math.ceil(size / 2)
    need(half + 2)
    out[at] = tag
    out[at + 1] = (size % 2) * 128 + half
    at += 2
    for (let i = 0; i < size; i += 2) {
      const high = alphabet.indexOf(value.charAt(i))
      const low = i + 1 < size ? alphabet.indexOf(value.charAt(i + 1)) : PADDING
      if (high < 0 || low < 0) {
        at = start
        return false
      }
      out[at] = (high << 4) | low
      at += 1
    }
    return true
  }

  function jid(value: string): boolean {
    const [, user = '', device, server = ''] = (value.includes('@') && JID.exec(value)) || []
    if (!server) return false
    if (device === undefined) {
      byte(TAGS.jidPair)
      if (user) text(user)
      else byte(TAGS.empty)
      text(server)
      return true
    }
    const domain = NUMBERS.get(server)
    if (domain === undefined || Number(device) > 255) return false
    byte(TAGS.deviceJid)
    byte(domain)
    byte(Number(device))
    text(user)
    return true
  }

  function list(size: number): void {
    if (size === 0) return byte(TAGS.empty)
    if (size < 2 ** 8) byte(TAGS.list8)
    else {
      byte(TAGS.list16)
      byte(size >> 8)
    }
    return byte(size & 255)
  }

  function node({ tag, attrs, content }: Stanza): void {
    const names = Object.keys(attrs)
    list(names.length * 2 + (content === undefined ? 1 : 2))
    text(tag)
    for (const name of names) {
      text(name)
      text(attrs[name] ?? '')
    }
    if (content === undefined) return
    if (typeof content === 'string') text(content)
    else if (Array.isArray(content)) {
      list(content.length)
      for (const child of content) node(child)
    } else bytes(content)
  }

  return (stanza) => {
    at = 0
    // 0: the stanza is not compressed.
    byte(0)
    node(stanza)
    return out.subarray(0, at)
  }
}
