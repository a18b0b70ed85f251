import { randomBytes } from 'node:crypto'
import { bytes, child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { NetworkState } from '../state.ts'
import { type AccountState, type Device, shownJid } from './accounts.ts'

/** Issues tokens of an account to others, which grant them the access of a contact. */
export function issueTokens(state: NetworkState, { account }: Device, tokens: Stanza): void {
  for (const { attrs } of children(tokens, 'token')) {
    const other = state.directory.find(attrs['jid'] ?? '')
    if (!other || other === account) continue
    const token = account.trusted.get(other) ?? randomBytes(16)
    account.trusted.set(other, token)
    const issued = el('tokens', {}, [el('token', { t: attrs['t'], type: 'trusted_contact' }, token)])
    const from = { from: shownJid(account) ?? account.lid, sender_lid: account.lid }
    for (const device of other.devices.values())
      state.delivery.notify(device, 'privacy_token', [issued], from)
  }
}

/** Whether the query carries the token that `owner` issued to `viewer`. */
export function isTrusted(owner: AccountState, viewer: AccountState, asked: Stanza | undefined): boolean {
  return owner.trusted.get(viewer)?.equals(bytes(child(asked, 'tctoken'))) === true
}
