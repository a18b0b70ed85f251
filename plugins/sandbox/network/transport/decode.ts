import { inflateSync } from 'node:zlib'
import type { Stanza } from '../../types.ts'
import { DOMAINS, TAGS, type Tokens } from './tags.ts'

const COMPRESSED = 2
const NIBBLES = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-', '.', '', '', '', '\0']
const HEX = '0123456789ABCDEF'

/** Decodes stanzas; their bytes are slices of `data`. Throws if they can't be read. */
export function createDecoder({ single, double }: Tokens): (data: Buffer) => Stanza {
  let data: Buffer = Buffer.alloc(0)
  let at = 0

  function byte(): number {
    const value = data[at]
    if (value === undefined) throw new Error('the stanza is cut off')
    at += 1
    return value
  }

  function uint(size: number): number {
    let value = 0
    for (let i = 0; i < size; i += 1) value = value * 256 + byte()
    return value
  }

  function slice(size: number): Buffer {
    if (at + size > data.length) throw new Error('the stanza is cut off')
    at += size
    return data.subarray(at - size, at)
  }

  /** The bytes of a value with this tag; undefined if the tag is not one of bytes. */
  function bytes(tag: number): Buffer | undefined {
    if (tag === TAGS.binary8) return slice(byte())
    if (tag === TAGS.binary20) return slice(((byte() & 15) << 16) | uint(2))
    return tag === TAGS.binary32 ? slice(uint(4)) : undefined
  }

  function text(tag: number): string {
    if (tag === TAGS.empty) return ''
    if (tag < TAGS.dictionary) return word(single, tag)
    if (tag < TAGS.dictionary + double.length) return word(double[tag - TAGS.dictionary] ?? [], byte())
    if (tag === TAGS.nibble8) return packed(NIBBLES)
    if (tag === TAGS.hex8) return packed(HEX)
    return jid(tag) ?? bytes(tag)?.toString() ?? fail(tag)
  }

  function packed(alphabet: string | string[]): string {
    const head = byte()
    let value = ''
    for (let i = head & 127; i > 0; i -= 1) {
      const pair = byte()
      value += `${alphabet[pair >> 4]}${alphabet[pair & 15]}`
    }
    return head > 127 ? value.slice(0, -1) : value
  }

  function jid(tag: number): string | undefined {
    if (tag === TAGS.jidPair) {
      const user = text(byte())
      const server = text(byte())
      // WhatsApp closes the connection on such a JID (plugins/baileys/socket/push-name.ts).
      if (server === '') throw new Error('a JID has no server')
      return `${user}@${server}`
    }
    if (tag !== TAGS.deviceJid) return undefined
    const server = DOMAINS.get(byte()) ?? fail(tag)
    const device = byte()
    return `${text(byte())}${device ? `:${device}` : ''}@${server}`
  }

  /** The size of a list; undefined if the tag is not one of lists. */
  function list(tag: number): number | undefined {
    if (tag === TAGS.empty) return 0
    if (tag === TAGS.list8) return byte()
    return tag === TAGS.list16 ? uint(2) : undefined
  }

  function node(): Stanza {
    const size = list(byte())
    const tag = text(byte())
    if (!size || tag === '') throw new Error('a stanza has no tag')
    const attrs: Record<string, string> = {}
    for (let i = (size - 1) >> 1; i > 0; i -= 1) {
      const name = text(byte())
      attrs[name] = text(byte())
    }
    return size % 2 === 0 ? { tag, attrs, content: content(byte()) } : { tag, attrs }
  }

  function content(tag: number): Stanza[] | Buffer | string {
    const size = list(tag)
    if (size === undefined) return bytes(tag) ?? text(tag)
    const nodes: Stanza[] = []
    for (let i = 0; i < size; i += 1) nodes.push(node())
    return nodes
  }

  return (frame) => {
    const body = frame.subarray(1)
    data = (frame[0] ?? 0) & COMPRESSED ? inflateSync(body) : body
    at = 0
    return node()
  }
}

function word(words: readonly string[], index: number): string {
  return words[index] ?? fail(index)
}

function fail(tag: number): never {
  throw new Error(`unknown value ${tag} in a stanza`)
}
