import { createHash } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import type { Uplink } from '../types.ts'
import type { Proto } from './compose.ts'
import { type Kind, openMedia } from './media.ts'
import type { Stored } from './messages.ts'

/** Downloads what a media message points at and decrypts it; undefined for other messages. */
export async function fetchMedia(
  wire: GatewayServices['wire'],
  uplink: Uplink,
  message: Proto,
): Promise<Stored['media']> {
  for (const kind of ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies readonly Kind[]) {
    const part = message[`${kind}Message`]
    if (!part?.directPath) continue
    const plain = openMedia(wire, kind, await uplink.download(part.directPath), part)
    return {
      mimetype: part.mimetype ?? '',
      size: plain.length,
      sha256: createHash('sha256').update(plain).digest('hex'),
    }
  }
  return undefined
}
