import { randomBytes } from 'node:crypto'
import { children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'

/**
 * How a message is corrupted in transit: its ciphertext is altered, or replaced by an `unavailable` node, or a ciphertext of a type
 * that clients do not know comes before it or in its place.
 */
export type Corruption = {
  how: 'garble' | 'unavailable' | 'addCiphertext' | 'replaceCiphertext'
  type: string | undefined
}

/** A type that whatsapp-rust has seen, and does not know (wacore/src/message_processing.rs). */
const UNKNOWN_TYPE = 'frskmsg'

export function corruptMessage(message: Stanza, { how, type }: Corruption): Stanza {
  const others = children(message).filter(({ tag }) => tag !== 'enc')
  // What is kept from companions of a hosted account has an attribute of its own (WR src/message/receive.rs).
  const attrs = type === 'hosted' ? { hosted: 'true' } : { type }
  if (how === 'unavailable') return { ...message, content: [el('unavailable', attrs), ...others] }
  const encs = children(message, 'enc')
  const unknown = el('enc', { v: 2, type: type ?? UNKNOWN_TYPE }, randomBytes(32))
  if (how === 'addCiphertext') return { ...message, content: [unknown, ...encs, ...others] }
  if (how === 'replaceCiphertext') return { ...message, content: [unknown, ...others] }
  const body = encs.at(-1)
  if (!body || !Buffer.isBuffer(body.content)) return message
  const bytes = Buffer.from(body.content)
  // The last byte is part of the MAC, or of the signature of a sender-key message.
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 0xff, bytes.length - 1)
  return { ...message, content: [...encs.slice(0, -1), { ...body, content: bytes }, ...others] }
}
