import { gatewayError, type Socket } from 'wamux/plugin'

export type Presence = 'available' | 'unavailable'

export function toPresence(text: string): Presence {
  if (text !== 'available' && text !== 'unavailable') throw gatewayError('PRESENCE_INVALID')
  return text
}

/** Baileys leaves the presence out without a word as long as the account's name is not known (Socket/chats.js). */
export async function announce(socket: Socket, presence: Presence): Promise<void> {
  // Not `wa.user`: that is a copy of what was known when the socket was made.
  if (!socket.wa.authState.creds.me?.name) throw gatewayError('SETTINGS_NOT_READY')
  await socket.sendPresence(presence)
}
