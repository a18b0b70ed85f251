import { children, el } from '../stanza.ts'
import type { Stanza } from '../types.ts'

/** How a message is spoiled on its way: its content can't be decrypted, or the network has none of it. */
export type Spoiling = { how: 'garble' | 'unavailable'; type: string | undefined }

export function spoil(message: Stanza, { how, type }: Spoiling): Stanza {
  const others = children(message).filter(({ tag }) => tag !== 'enc')
  if (how === 'unavailable') return { ...message, content: [el('unavailable', { type }), ...others] }
  const encs = children(message, 'enc')
  const body = encs.at(-1)
  if (!body || !Buffer.isBuffer(body.content)) return message
  const bytes = Buffer.from(body.content)
  // The last byte belongs to the MAC, or to the signature of a sender key's message.
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 0xff, bytes.length - 1)
  return { ...message, content: [...encs.slice(0, -1), { ...body, content: bytes }, ...others] }
}
