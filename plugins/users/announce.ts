import { gatewayError, type Socket } from 'wamux/plugin'

export type Presence = 'available' | 'unavailable'

export function toPresence(text: string): Presence {
  if (text !== 'available' && text !== 'unavailable') throw gatewayError('PRESENCE_INVALID')
  return text
}

/** Baileys silently skips the presence while the account's name is unknown (Socket/chats.js). */
export async function announce(socket: Socket, presence: Presence): Promise<void> {
  // Not `wa.user`: that is a copy from the creation of the socket.
  if (!socket.wa.authState.creds.me?.name) throw gatewayError('SETTINGS_NOT_READY')
  await socket.sendPresence(presence)
}
