import type { Socket } from 'wamux/plugin'

/** The interface's and the network's name of each setting. */
const NAMES = {
  GroupAdd: 'groupadd',
  LastSeen: 'last',
  Status: 'status',
  Profile: 'profile',
  ReadReceipts: 'readreceipts',
  CallAdd: 'calladd',
  Online: 'online',
  Messages: 'messages',
  Defense: 'defense',
  Stickers: 'stickers',
} as const

export type PrivacySettings = Record<keyof typeof NAMES, string>

export async function privacyOf(socket: Socket): Promise<PrivacySettings> {
  return toPrivacy(await socket.privacy())
}

/** Those that the network does not name are ''. */
export function toPrivacy(settings: ReadonlyMap<string, string>): PrivacySettings {
  const entries = Object.entries(NAMES).map(([ours, name]) => [ours, settings.get(name) ?? ''])
  return Object.fromEntries(entries) as PrivacySettings
}
