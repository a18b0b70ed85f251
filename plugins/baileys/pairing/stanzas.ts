import type { BinaryNode } from '@whiskeysockets/baileys'
import { getBinaryNodeChild, getBinaryNodeChildBuffer } from '../baileys.ts'

/** The sender of all notifications about linking. */
export const SERVER = 's.whatsapp.net'

export function ackOf({ attrs }: BinaryNode): BinaryNode {
  const { id = '', from = '', type = '' } = attrs
  return { tag: 'ack', attrs: { class: 'notification', id, to: from, type } }
}

export function part(tag: string, content: string | Uint8Array): BinaryNode {
  return { tag, attrs: {}, content: Buffer.from(content) }
}

/** The bytes of a child; undefined if there are none. */
export function bytesOf(parent: BinaryNode | undefined, tag: string): Buffer | undefined {
  const content = getBinaryNodeChildBuffer(parent, tag)
  return content?.length ? Buffer.from(content) : undefined
}

export function childOf(parent: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return getBinaryNodeChild(parent, tag)
}
