import type { Socket } from 'wamux/plugin'

/** Sets the account's about text. */
export async function setAbout(socket: Socket, text: string): Promise<void> {
  const attrs = { xmlns: 'status', type: 'set', to: 's.whatsapp.net' }
  const content = [{ tag: 'status', attrs: {}, content: Buffer.from(text) }]
  await socket.query({ tag: 'iq', attrs, content }, 'set the about text')
}
