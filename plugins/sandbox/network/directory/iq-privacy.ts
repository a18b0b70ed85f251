import { createHash } from 'node:crypto'
import { child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { QueryHandler } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { syncAccount } from './account-sync.ts'
import type { AccountState, Device } from './accounts.ts'
import { issueTokens } from './tokens.ts'

/** The value of a setting that excludes listed contacts. */
const EXCEPT = 'contact_blacklist'

const AUDIENCES = ['all', 'contacts', EXCEPT, 'none']

/** The values of each setting (whatsmeow types/user.go, whatsapp-rust iq/privacy.rs); others are refused [?]. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  groupadd: AUDIENCES,
  last: AUDIENCES,
  status: AUDIENCES,
  profile: AUDIENCES,
  readreceipts: ['all', 'none'],
  calladd: ['all', 'known'],
  online: ['all', 'match_last_seen'],
  messages: ['all', 'contacts'],
  defense: ['on_standard', 'off'],
  stickers: ['contacts', 'contact_allowlist', 'none'],
}

/**
 * Privacy settings (`privacy`). A setting with the value `contact_blacklist` has a list of contacts from whom it is hidden.
 * A change names the contacts to add and remove, and the hash of the list on which it is based.
 */
export const privacy: QueryHandler = (state, device, iq) => {
  const tokens = child(iq, 'tokens')
  if (tokens) issueTokens(state, device, tokens)
  const request = child(iq, 'privacy')
  if (iq.attrs['type'] === 'set') return request && [change(state, device, request)]
  const list = child(request, 'list')
  return [el('privacy', {}, list ? [listNode(device.account, list)] : settingsOf(device.account))]
}

function change(state: NetworkState, device: Device, request: Stanza): Stanza {
  const { account } = device
  const requested = children(request, 'category')
  for (const { attrs } of requested)
    if (!VALUES[attrs['name'] ?? '']?.includes(attrs['value'] ?? '')) throw refusal(400, 'bad-request')
  const categories = requested.map((category) => {
    const { name = '', value = '' } = category.attrs
    if (value === EXCEPT) changeList(state, account, name, category)
    account.privacy.set(name, value)
    return settingNode(account, name, value)
  })
  syncAccount(state, device, el('privacy', {}, categories))
  return el('privacy', {}, categories)
}

function changeList(state: NetworkState, account: AccountState, name: string, category: Stanza): void {
  const list = new Set(account.hiddenFrom.get(name))
  const { dhash } = category.attrs
  if (dhash !== undefined && dhash !== hashOf(list)) throw refusal(409, 'conflict')
  for (const { attrs } of children(category, 'user')) {
    const contact = state.directory.find(attrs['jid'] ?? '')
    if (!contact) throw refusal(404, 'item-not-found')
    if (attrs['action'] === 'remove') list.delete(contact)
    else list.add(contact)
  }
  account.hiddenFrom.set(name, list)
}

function settingsOf(account: AccountState): Stanza[] {
  return [...account.privacy].map(([name, value]) => settingNode(account, name, value))
}

function settingNode(account: AccountState, name: string, value: string): Stanza {
  const dhash = value === EXCEPT ? hashOf(account.hiddenFrom.get(name)) : undefined
  return el('category', { name, value, dhash })
}

function listNode({ hiddenFrom }: AccountState, { attrs }: Stanza): Stanza {
  const { name = '', value } = attrs
  const list = hiddenFrom.get(name) ?? new Set()
  const users = [...list].map(({ lid }) => el('user', { jid: lid }))
  return el('list', { name, value, dhash: hashOf(list) }, users)
}

function hashOf(list: ReadonlySet<AccountState> = new Set()): string {
  const members = [...list].map(({ lid }) => lid).sort()
  return createHash('sha256').update(members.join()).digest('base64url').slice(0, 12)
}
