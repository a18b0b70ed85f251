import { child } from 'wamux/messaging'
import type { Socket } from 'wamux/plugin'

/** Side length in pixels, like phones' uploads. */
const SIDE = 640

export async function removePicture(socket: Socket): Promise<void> {
  const attrs = { xmlns: 'w:profile:picture', type: 'set', to: 's.whatsapp.net' }
  await socket.query({ tag: 'iq', attrs }, 'remove the picture')
}

/** Sets the account's picture; resolves to its id. */
export async function setPicture(socket: Socket, { bytes }: { bytes: Buffer }): Promise<string> {
  // Loaded at the first use: it takes some 30 MB.
  const { default: sharp } = await import('sharp')
  const square = await sharp(bytes)
    .rotate()
    .resize(SIDE, SIDE, { fit: 'cover' })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 80 })
    .toBuffer()
  const reply = await socket.query(
    {
      tag: 'iq',
      attrs: { xmlns: 'w:profile:picture', type: 'set', to: 's.whatsapp.net' },
      content: [{ tag: 'picture', attrs: { type: 'image' }, content: square }],
    },
    'set the picture',
  )
  return child(reply, 'picture')?.attrs['id'] ?? ''
}
