import { gatewayError, type Socket } from 'wamux/plugin'

export const PRESENCES = ['available', 'unavailable'] as const
export type Presence = (typeof PRESENCES)[number]

export function toPresence(text: string): Presence {
  const presence = PRESENCES.find((one) => one === text)
  if (!presence) throw gatewayError('PRESENCE_INVALID')
  return presence
}

/** Baileys silently skips the presence while the account's name is unknown (Socket/chats.js). */
export async function announce(socket: Socket, presence: Presence): Promise<void> {
  // Not `wa.user`: that is a copy from the creation of the socket.
  if (!socket.wa.authState.creds.me?.name) throw gatewayError('SETTINGS_NOT_READY')
  await socket.sendPresence(presence)
}
