import { createHmac, randomBytes } from 'node:crypto'
import { bytes, child, children, el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { NetworkState } from '../state.ts'
import { type AccountState, type Device, shownJid } from './accounts.ts'
import { servedProps } from './props.ts'

/** Issues tokens of an account to others, which grant them the access of a contact. The answer to the query contains none. */
export function issueTokens(state: NetworkState, { account }: Device, tokens: Stanza): void {
  for (const { attrs } of children(tokens, 'token')) {
    const other = state.directory.find(attrs['jid'] ?? '')
    if (!other || other === account) continue
    const t = Number(attrs['t']) || seconds()
    const known = account.trusted.get(other)
    // The time of one that is issued again, to a new identity of the person, does not change.
    if (known && t !== known.t && !isDue(state, account, known.t, t)) state.counters.earlyTokens += 1
    // The newest token wins.
    const { token } = known && known.t >= t ? known : { token: randomBytes(16) }
    const issued = { token, t: Math.max(t, known?.t ?? 0) }
    account.trusted.set(other, issued)
    const node = el('token', { t: issued.t, type: 'trusted_contact' }, token)
    const isBare = state.faults.networkWide.namesNoAlternates
    const from = {
      from: shownJid(account) ?? account.lid,
      ...(isBare ? {} : { sender_lid: account.lid }),
    }
    for (const device of other.devices.values())
      state.delivery.notify(device, 'privacy_token', [el('tokens', {}, [node])], from)
  }
}

/**
 * Whether the stanza carries a still valid token that `owner` issued to `viewer`. Members to be added to a group and offers of
 * calls have it as `privacy` (WM group.go, ZP packages/voip signaling.ts), everything else as `tctoken`.
 */
export function isTrusted(
  state: NetworkState,
  owner: AccountState,
  viewer: AccountState,
  asked: Stanza | undefined,
  tag: 'tctoken' | 'privacy' = 'tctoken',
): boolean {
  const issued = owner.trusted.get(viewer)
  return issued?.token.equals(bytes(child(asked, tag))) === true && isCurrent(state, viewer, issued.t)
}

/**
 * Whether a token of this time is still valid. It is for a number of buckets, including the current one: AB props 865 (seconds
 * of a bucket) and 909 (buckets), as served to the account that received it.
 */
export function isCurrent(state: NetworkState, holder: AccountState, t: number): boolean {
  const { props } = servedProps(state, holder)
  const [duration, buckets] = [Number(props['865']), Number(props['909'])]
  return t >= (Math.floor(seconds() / duration) - (buckets - 1)) * duration
}

/**
 * Whether an account whose last token has this time issues another one: from the next bucket on. AB prop 996 is the length of
 * a bucket in seconds, as served to the account that issues it.
 */
export function isDue(state: NetworkState, issuer: AccountState, last: number, now = seconds()): boolean {
  const duration = Number(servedProps(state, issuer).props['996'])
  return Math.floor(now / duration) > Math.floor(last / duration)
}

/** The token for a first contact, from the sender's salt and the recipient's LID. */
function contactToken(salt: Uint8Array, lid: string): Buffer {
  return createHmac('sha256', salt).update(lid).digest()
}

/**
 * Whether a message is refused for a missing token (463). None is needed if the recipient has written to the sender or given it
 * a token that is still valid, except for a resend to one device, which always needs one (ZP 1.1.2).
 */
export function isTokenless(
  state: NetworkState,
  sender: AccountState,
  target: AccountState,
  message: Stanza,
  isResend: boolean,
): boolean {
  if (sender === target || sender.bot || target.bot || state.faults.networkWide.lenientTokens) return false
  if (!isResend && sender.writers.has(target)) return false
  const issued = target.trusted.get(sender)
  if (!isResend && issued && isCurrent(state, sender, issued.t)) return false
  if (isTrusted(state, target, sender, message)) return false
  const { salt } = sender
  return !salt || !contactToken(salt, target.lid).equals(bytes(child(message, 'cstoken')))
}
