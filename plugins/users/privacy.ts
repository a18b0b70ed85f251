import { child, children } from 'wamux/messaging'
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

/** Queried each time: Baileys caches its first answer, and the phone may have changed the settings since. */
export async function privacyOf(socket: Socket): Promise<PrivacySettings> {
  const attrs = { xmlns: 'privacy', type: 'get', to: 's.whatsapp.net' }
  const reply = await socket.query(
    { tag: 'iq', attrs, content: [{ tag: 'privacy', attrs: {} }] },
    'read the privacy settings',
  )
  const categories = children(child(reply, 'privacy'), 'category')
  const chosen = (name: string): string =>
    categories.find(({ attrs }) => attrs['name'] === name)?.attrs['value'] ?? ''
  const entries = Object.entries(NAMES).map(([ours, name]) => [ours, chosen(name)])
  return Object.fromEntries(entries) as PrivacySettings
}
