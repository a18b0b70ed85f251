import type { LiveSession } from 'wamux/plugin'
import { ask } from './ask.ts'
import { networkCodeOf } from './failures.ts'
import { child, children, node } from './stanza.ts'

/** Whom an account's status posts are shown to, in the words of the stanza (`<meta status_setting>`). */
export type StatusSetting = 'contacts' | 'allowlist' | 'denylist'

export interface StatusViewers {
  readonly setting: StatusSetting
  /** By phone number or LID. */
  readonly jids: string[]
}

const SETTINGS: Readonly<Record<string, StatusSetting>> = { whitelist: 'allowlist', blacklist: 'denylist' }

/**
 * The JIDs that may see status posts of an account, by its status privacy: some people, or its contacts, all of them or all
 * but some.
 *
 * @param contacts not called where the privacy names the viewers.
 */
export async function statusViewers(
  { socket }: LiveSession,
  contacts: () => Promise<readonly { readonly jid: string }[]>,
): Promise<StatusViewers> {
  const { type, users } = await privacyOf(socket)
  const setting = SETTINGS[type] ?? 'contacts'
  if (setting === 'allowlist') return { setting, jids: users }
  const known = (await contacts()).map(({ jid }) => jid)
  if (setting === 'contacts') return { setting, jids: known }
  // Either list may name a person by phone number or by LID.
  const others = await Promise.all(users.map((jid) => socket.altJid(jid)))
  const hidden = new Set([...users, ...others])
  return { setting, jids: known.filter((jid) => !hidden.has(jid)) }
}

async function privacyOf(socket: LiveSession['socket']): Promise<{ type: string; users: string[] }> {
  const question = { xmlns: 'status', content: node('privacy', {}), verb: 'read the status privacy' }
  const reply = await ask(socket, question).catch((error: unknown) => {
    // An account that never changed the setting has no list on the network.
    if (networkCodeOf(error) === 404) return undefined
    throw error
  })
  const lists = children(child(reply, 'privacy'), 'list')
  const list = lists.find(({ attrs: { default: isDefault } }) => isDefault === 'true') ?? lists[0]
  const users = children(list, 'user').map((user) => user.attrs['jid'] ?? '')
  return { type: list?.attrs['type'] ?? 'contacts', users }
}
