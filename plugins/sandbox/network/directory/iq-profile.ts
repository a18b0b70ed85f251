import { child, children, el, parseJid, seconds, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { QueryHandler } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import { unlink } from '../transport/pairing.ts'
import { setAbout } from './about.ts'
import { syncAccount } from './account-sync.ts'

/** What a block names the person by, besides the LID (ZP transport/node/builders/privacy.ts). */
const BLOCKED_AS = ['pn_jid', 'username', 'display_name', 'unknown_identifier']

/**
 * The list is kept by LID. A change by number alone is refused (ZP 1.6.1, WM 8d023aa9), and so is a block that names the person by
 * nothing else [?].
 */
export const blocklist: QueryHandler = (state, device, iq) => {
  const { account } = device
  const item = child(iq, 'item')
  if (item) {
    const other = state.directory.find(item.attrs['jid'] ?? '')
    if (!other) throw refusal(404, 'item-not-found')
    const { action, jid } = item.attrs
    const isNamed = action !== 'block' || BLOCKED_AS.some((name) => item.attrs[name] !== undefined)
    if (parseJid(jid)?.server !== 'lid' || !isNamed) throw refusal(400, 'bad-request')
    if (action === 'block') account.blocked.add(other.lid)
    else account.blocked.delete(other.lid)
    syncAccount(state, device, el('blocklist', {}, [el('item', { action, jid: other.lid })]))
  }
  return [
    el(
      'list',
      { dhash: String(account.blocked.size) },
      [...account.blocked].map((jid) => el('item', { jid })),
    ),
  ]
}

/** The audience of the account's status posts. The about text is set by a stored query: see about.ts. */
export const status: QueryHandler = (state, device, iq) => {
  const { account } = device
  const about = child(iq, 'status')
  const audience = child(child(iq, 'privacy'), 'list')
  if (iq.attrs['type'] === 'set') {
    if (about && state.faults.networkWide.legacyAbout) setAbout(state, device, text(about))
    if (audience) {
      const users = children(audience, 'user').map((user) => state.directory.find(user.attrs['jid'] ?? ''))
      account.audience = {
        type: audience.attrs['type'] ?? 'contacts',
        users: users.filter((user) => user !== undefined),
      }
    }
    return undefined
  }
  const { type, users } = account.audience
  const list = users.map(({ jid }) => el('user', { jid }))
  return [el('privacy', {}, [el('list', { type, default: 'true' }, list)])]
}

/** Seconds after which messages of new chats disappear. */
const DISAPPEARING = ['0', '86400', '604800', '7776000']

/** The disappearing timer of new chats (`disappearing_mode`). */
export const disappearingMode: QueryHandler = (state, device, iq) => {
  const { duration = '' } = child(iq, 'disappearing_mode')?.attrs ?? {}
  if (!DISAPPEARING.includes(duration)) throw refusal(400, 'bad-request')
  const setting = { duration: Number(duration), t: seconds() }
  device.account.disappearing = setting
  syncAccount(state, device, el('disappearing_mode', setting))
  return undefined
}

/** `remove-companion-device`: a companion logs out, or a phone unlinks one of its companions. */
export const linkedDevices: QueryHandler = (state, device, iq) => {
  const { account } = device
  const removed: Stanza | undefined = child(iq, 'remove-companion-device')
  const target = parseJid(removed?.attrs['jid'])
  if (!removed || !target) return undefined
  // The link is closed before the answer is sent; a phone gets its answer in any case.
  if (device.id === 0 || state.faults.networkWide.unanswersLogouts) unlink(state, account, target.device)
  // After the answer, even if that is delayed.
  else setImmediate(() => unlink(state, account, target.device))
  return undefined
}
