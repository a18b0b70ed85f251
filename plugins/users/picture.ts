import { child } from 'wamux/messaging'
import type { Socket } from 'wamux/plugin'

export async function removePicture(socket: Socket): Promise<void> {
  const attrs = { xmlns: 'w:profile:picture', type: 'set', to: 's.whatsapp.net' }
  await socket.query({ tag: 'iq', attrs }, 'remove the picture')
}

/** Sets the account's picture; resolves to its id. */
export async function setPicture(socket: Socket, jpeg: Buffer): Promise<string> {
  const reply = await socket.query(
    {
      tag: 'iq',
      attrs: { xmlns: 'w:profile:picture', type: 'set', to: 's.whatsapp.net' },
      content: [{ tag: 'picture', attrs: { type: 'image' }, content: jpeg }],
    },
    'set the picture',
  )
  return child(reply, 'picture')?.attrs['id'] ?? ''
}
