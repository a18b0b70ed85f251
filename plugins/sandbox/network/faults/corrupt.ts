import { children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'

/** How a message is corrupted in transit: its ciphertext is altered, or replaced by an `unavailable` node. */
export type Corruption = { how: 'garble' | 'unavailable'; type: string | undefined }

export function corruptMessage(message: Stanza, { how, type }: Corruption): Stanza {
  const others = children(message).filter(({ tag }) => tag !== 'enc')
  // What is kept from companions of a hosted account has an attribute of its own (WR src/message/receive.rs).
  const attrs = type === 'hosted' ? { hosted: 'true' } : { type }
  if (how === 'unavailable') return { ...message, content: [el('unavailable', attrs), ...others] }
  const encs = children(message, 'enc')
  const body = encs.at(-1)
  if (!body || !Buffer.isBuffer(body.content)) return message
  const bytes = Buffer.from(body.content)
  // The last byte is part of the MAC, or of the signature of a sender-key message.
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 0xff, bytes.length - 1)
  return { ...message, content: [...encs.slice(0, -1), { ...body, content: bytes }, ...others] }
}
