import { child, children, el, parseJid, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Query } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { unlink } from '../transport/pairing.ts'
import type { AccountState } from './accounts.ts'
import { issueTokens } from './tokens.ts'

/** Server-side properties, which clients query at login. */
export const properties: Query = (_state, _device, iq) => {
  const { protocol = '1' } = child(iq, 'props')?.attrs ?? {}
  return [el('props', { protocol, hash: 'sandbox', refresh: 86400 }, [])]
}

export const privacy: Query = (state, device, iq) => {
  const { account } = device
  const tokens = child(iq, 'tokens')
  if (tokens) issueTokens(state, device, tokens)
  const change = child(iq, 'privacy')
  if (iq.attrs['type'] === 'set') {
    for (const category of children(change, 'category')) {
      account.privacy.set(category.attrs['name'] ?? '', category.attrs['value'] ?? '')
      changeExcluded(state, account, category)
    }
    return change ? [change] : undefined
  }
  const asked = child(change, 'list')
  if (asked) return [el('privacy', {}, [excludedNode(account, asked.attrs['name'] ?? '')])]
  return [
    el(
      'privacy',
      {},
      [...account.privacy].map(([name, value]) => el('category', { name, value })),
    ),
  ]
}

/** Adds to or removes from the contacts that a category excludes. */
function changeExcluded(state: NetworkState, account: AccountState, category: Stanza): void {
  const { name = '' } = category.attrs
  const excluded = account.excluded.get(name) ?? new Set<AccountState>()
  account.excluded.set(name, excluded)
  for (const { attrs } of children(category, 'user')) {
    const user = state.directory.find(attrs['jid'] ?? '')
    if (!user) throw refusal(404, 'item-not-found')
    if (attrs['action'] === 'remove') excluded.delete(user)
    else excluded.add(user)
  }
}

function excludedNode(account: AccountState, name: string): Stanza {
  const users = [...(account.excluded.get(name) ?? [])].map(({ jid }) => el('user', { jid }))
  return el('list', { name, value: 'contact_blacklist', dhash: String(users.length) }, users)
}

export const blocklist: Query = (state, device, iq) => {
  const { account } = device
  const item = child(iq, 'item')
  if (item) {
    const other = state.directory.find(item.attrs['jid'] ?? '')
    if (!other) throw refusal(404, 'item-not-found')
    const { action } = item.attrs
    if (action === 'block') account.blocked.add(other.lid)
    else account.blocked.delete(other.lid)
    for (const companion of account.devices.values()) {
      if (companion === device) continue
      state.delivery.notify(
        companion,
        'account_sync',
        [el('blocklist', {}, [el('item', { action, jid: other.lid })])],
        { from: account.jid },
      )
    }
  }
  return [
    el(
      'list',
      { dhash: String(account.blocked.size) },
      [...account.blocked].map((jid) => el('item', { jid })),
    ),
  ]
}

/** The about text and the audience of the account's status posts. */
export const status: Query = (state, { account }, iq) => {
  const about = child(iq, 'status')
  const audience = child(child(iq, 'privacy'), 'list')
  if (iq.attrs['type'] === 'set') {
    if (about) account.about = text(about)
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

/** `remove-companion-device`: a companion logs out, or a phone unlinks one of its companions. */
export const linkedDevices: Query = (state, { account }, iq) => {
  const removed: Stanza | undefined = child(iq, 'remove-companion-device')
  const target = parseJid(removed?.attrs['jid'])
  if (!removed || !target) return undefined
  // The answer must be sent before the connection is closed.
  setImmediate(() => unlink(state, account, target.device))
  return undefined
}
