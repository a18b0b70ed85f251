import type { BinaryNode } from '@whiskeysockets/baileys'
import { ask, child, children, Jid, node } from 'wamux/messaging'
import { gatewayError, type Socket } from 'wamux/plugin'
import { lidOf } from './blocklist.ts'

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

type Setting = keyof typeof NAMES
export const SETTINGS = Object.keys(NAMES) as Setting[]

/** Contacts, except those of a list. */
const EXCEPT = 'contact_blacklist'
const AUDIENCES = ['all', 'contacts', EXCEPT, 'none']

/** The values that the network knows (whatsmeow types/user.go). Stickers also have a list of allowed contacts, which can't be set. */
const VALUES: Readonly<Record<Setting, readonly string[]>> = {
  GroupAdd: AUDIENCES,
  LastSeen: AUDIENCES,
  Status: AUDIENCES,
  Profile: AUDIENCES,
  ReadReceipts: ['all', 'none'],
  CallAdd: ['all', 'known'],
  Online: ['all', 'match_last_seen'],
  Messages: ['all', 'contacts'],
  Defense: ['on_standard', 'off'],
  Stickers: ['contacts', 'none'],
}

/** All values of any setting. */
export const WORDS = [...new Set(SETTINGS.flatMap((setting) => VALUES[setting]))]
export const LISTED = SETTINGS.filter((setting) => VALUES[setting].includes(EXCEPT))

/** Checks a change. Throws FIELD_INVALID. */
export function assertChange(setting: Setting, value: string, hasExceptions: boolean): void {
  const known = VALUES[setting]
  if (!known.includes(value))
    throw gatewayError('FIELD_INVALID', ['Value', `of ${setting} must be one of ${known.join(', ')}`])
  if (hasExceptions && value !== EXCEPT)
    throw gatewayError('FIELD_INVALID', ['Except', `needs the Value ${EXCEPT}`])
}

/**
 * Changes one setting.
 *
 * @param except for the value `contact_blacklist`, the whole list; undefined to keep it.
 */
export async function setPrivacy(
  socket: Socket,
  setting: Setting,
  value: string,
  except: readonly string[] | undefined,
): Promise<void> {
  const name = NAMES[setting]
  const { dhash, content } = except ? await listChange(socket, setting, except) : {}
  const attrs = { name, value, ...(dhash ? { dhash } : {}) }
  const category = { tag: 'category', attrs, ...(content ? { content } : {}) }
  await query(socket, 'set', category, 'change the privacy settings')
}

/** Those from whom a setting with the value `contact_blacklist` is hidden, by phone number if that is known. */
export async function exceptionsOf(socket: Socket, setting: Setting): Promise<string[]> {
  const { jids } = await listOf(socket, setting)
  return Promise.all(jids.map(async (jid) => (Jid.isLid(jid) && (await socket.altJid(jid))) || jid))
}

/** The network accepts only differences, and the hash of the list that they are based on (whatsapp-rust iq/privacy.rs). */
async function listChange(socket: Socket, setting: Setting, except: readonly string[]) {
  const { dhash, jids } = await listOf(socket, setting)
  const wanted = new Set(await Promise.all(except.map((jid) => toLid(socket, jid))))
  const listed = new Map(
    await Promise.all(jids.map(async (jid) => [(await knownLid(socket, jid)) || jid, jid] as const)),
  )
  const user = (jid: string, action: 'add' | 'remove') => ({ tag: 'user', attrs: { jid, action } })
  return {
    dhash,
    content: [
      ...[...wanted].filter((lid) => !listed.has(lid)).map((lid) => user(lid, 'add')),
      ...[...listed].filter(([lid]) => !wanted.has(lid)).map(([, jid]) => user(jid, 'remove')),
    ],
  }
}

async function listOf(
  socket: Socket,
  setting: Setting,
): Promise<{ dhash: string | undefined; jids: string[] }> {
  const list = { tag: 'list', attrs: { name: NAMES[setting], value: EXCEPT } }
  const found = child(child(await query(socket, 'get', list, 'read the exceptions'), 'privacy'), 'list')
  const jids = children(found, 'user').map(({ attrs }) => attrs['jid'] ?? '')
  return { dhash: found?.attrs['dhash'], jids }
}

function query(socket: Socket, type: 'get' | 'set', content: BinaryNode, verb: string) {
  return ask(socket, { xmlns: 'privacy', type, content: node('privacy', {}, [content]), verb })
}

function toLid(socket: Socket, jid: string): Promise<string> | string {
  return Jid.isLid(jid) ? jid : lidOf(socket, jid)
}

function knownLid(socket: Socket, jid: string): Promise<string> | string {
  return Jid.isLid(jid) ? jid : socket.altJid(jid)
}
