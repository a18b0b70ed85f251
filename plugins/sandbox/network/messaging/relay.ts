import { bare, child, children, el, parseJid, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type AccountState, type Device, shownJid } from '../directory/accounts.ts'
import { recordChat, refusalOfNewChat } from '../faults/restrict.ts'
import { isAdmin } from '../groups/groups.ts'
import { handlePost } from '../newsletters/posts.ts'
import type { NetworkState } from '../state.ts'
import { bizRefusal } from './biz.ts'
import { expireStatuses } from './statuses.ts'

const MAX_RECENT_IDS = 20_000

/** Child nodes that are addressed to the network and not forwarded. */
const NETWORK_ONLY = new Set(['participants', 'enc', 'tctoken', 'reporting'])

/** Acknowledges or refuses a message of a device, and relays to each recipient its ciphertext. */
export function handleMessage(state: NetworkState, sender: Device, message: Stanza): void {
  const { to = '', id = '', participant } = message.attrs
  if (parseJid(to)?.server === 'newsletter') return handlePost(state, sender, message)
  const acknowledge = (error?: string): void => {
    const attrs = { class: 'message', id, from: to, participant, t: seconds(), error }
    if (error) state.counters.refused += 1
    else state.counters.acks += 1
    const ack = el('ack', attrs)
    if (!state.faults.withhold(sender, ack)) state.faults.delay(sender, () => sender.link?.send(ack))
  }
  const isResend = message.attrs['device_fanout'] === 'false' || participant !== undefined
  const refused = isResend
    ? undefined
    : (state.faults.refusal(sender.account) ?? refusalOf(state, sender, message.attrs) ?? bizRefusal(message))
  if (refused) return acknowledge(refused)
  if (!isResend && isDuplicate(sender.account, `${to} ${id}`)) {
    state.counters.duplicates += 1
    return acknowledge()
  }
  state.counters.messages += 1
  acknowledge()
  if (parseJid(to)?.server === 'g.us' || to === 'status@broadcast') relayGroup(state, sender, message)
  else relayDirect(state, sender, message)
}

/** After a retry receipt the sender may resend the message under the same id, to that device or to all. */
export function allowResend(sender: AccountState, chats: readonly string[], id: string): void {
  for (const chat of chats) sender.recentIds.delete(`${chat} ${id}`)
}

function isDuplicate({ recentIds: ids }: AccountState, key: string): boolean {
  if (ids.has(key)) return true
  ids.add(key)
  const [oldest] = ids.size > MAX_RECENT_IDS ? ids : []
  if (oldest !== undefined) ids.delete(oldest)
  return false
}

/** The error code for the ack; undefined to accept the message. */
function refusalOf(
  state: NetworkState,
  sender: Device,
  { to = '', edit, type }: Record<string, string>,
): string | undefined {
  const target = parseJid(to)
  if (!target) return '400'
  if (target.server === 'g.us') {
    const refused = state.groups.refusalFor(to, sender.account, type)
    if (refused || edit !== '8') return refused
    // Only admins may revoke messages of others.
    return isAdmin(state.groups.get(to, sender.account), sender.account) ? undefined : '403'
  }
  if (to === 'status@broadcast') return undefined
  const account = state.directory.find(to)
  if (!account) return '404'
  return refusalOfNewChat(sender.account, account)
}

function relayDirect(state: NetworkState, sender: Device, message: Stanza): void {
  const { to = '' } = message.attrs
  const target = state.directory.find(to)
  // A sender that the recipient has blocked gets an ack like any other; only own devices get the message.
  const isBlocked = target?.blocked.has(sender.account.lid) === true
  if (target && !isBlocked) recordChat(sender.account, target)
  const direct = child(message, 'enc')
  if (target && direct?.attrs['type'] === 'msmsg') return relayToAll(state, sender, target, message)
  const parts = direct ? [{ jid: to, enc: direct }] : partsOf(message)
  for (const { jid, enc } of parts) {
    const device = state.directory.device(jid)
    if (!device || device === sender || (isBlocked && device.account === target)) continue
    state.delivery.deliver(device, directStanza(state, sender, device, message, [enc]))
  }
}

/** A bot's answer is encrypted with the secret of the question, which every device of the account has. */
function relayToAll(state: NetworkState, sender: Device, target: AccountState, message: Stanza): void {
  const attrs = { from: sender.jid, ...sharedAttrs(sender, message) }
  state.delivery.deliverToAccount(target, el('message', attrs, children(message)))
}

function directStanza(
  state: NetworkState,
  sender: Device,
  device: Device,
  message: Stanza,
  encs: Stanza[],
): Stanza {
  const { to = '', category, recipient } = message.attrs
  const isOwn = device.account === sender.account
  const server = parseJid(to)?.server
  // A companion gets messages of its own account by phone number, the form that it compares with (Baileys
  // Utils/decode-wa-message.js), but those to a bot by LID (WhiskeySockets/Baileys#2822); others get the sender in the
  // addressing mode of the message.
  const byLid = isOwn ? server === 'bot' : server === 'lid' || sender.account.hidesNumber
  const alternate = byLid
    ? { sender_pn: shownJid(sender.account), addressing_mode: 'lid' }
    : { sender_lid: bare(sender.lid) }
  return el(
    'message',
    {
      from: byLid ? sender.lid : sender.jid,
      ...sharedAttrs(sender, message),
      ...(isOwn && !category
        ? { recipient: recipient ?? bare(to), ...recipientAlternate(state, message) }
        : alternate),
    },
    [...encs, ...forwardedNodes(message)],
  )
}

function recipientAlternate(
  { directory }: NetworkState,
  { attrs }: Stanza,
): Record<string, string | undefined> {
  const { username } = directory.find(attrs['to'] ?? '') ?? {}
  return { peer_recipient_lid: attrs['peer_recipient_lid'], peer_recipient_username: username || undefined }
}

function relayGroup(state: NetworkState, sender: Device, message: Stanza): void {
  const { to = '', participant } = message.attrs
  const keys = new Map(partsOf(message).map(({ jid, enc }) => [state.directory.device(jid), enc]))
  const body = child(message, 'enc')
  const only = participant ? state.directory.device(participant) : undefined
  const members = participant ? [] : recipientsOf(state, to, sender, keys)
  const devices = only ? [only] : members.flatMap((account) => [...account.devices.values()])
  const isLid = message.attrs['addressing_mode'] !== 'pn' || sender.account.hidesNumber
  if (to === 'status@broadcast' && !only) {
    const { id = '' } = message.attrs
    expireStatuses(state)
    const audience = members.map(({ phone }) => phone)
    state.statuses.push({ id, from: sender.account.phone, to: audience, time: seconds() })
  }
  const attrs = {
    from: to,
    ...sharedAttrs(sender, message),
    participant: isLid ? sender.lid : sender.jid,
    participant_username: sender.account.username || undefined,
    ...(isLid
      ? { participant_pn: shownJid(sender.account), addressing_mode: 'lid' }
      : { participant_lid: bare(sender.lid), addressing_mode: 'pn' }),
  }
  const nodes = forwardedNodes(message)
  const withoutKey = body && el('message', attrs, [body, ...nodes])
  for (const device of devices) {
    if (device === sender) continue
    const key = keys.get(device)
    // The sender key must precede the message that it decrypts.
    const stanza = key ? el('message', attrs, [key, ...(body ? [body] : []), ...nodes]) : withoutKey
    if (stanza) state.delivery.deliver(device, stanza)
  }
}

/** The members of a group; for a status post the accounts that it lists, and the sender's own. */
function recipientsOf(
  state: NetworkState,
  to: string,
  sender: Device,
  keys: ReadonlyMap<Device | undefined, Stanza>,
): AccountState[] {
  if (to !== 'status@broadcast') return state.groups.membersOf(to)
  const named = [...keys.keys()].map((device) => device?.account).filter((account) => account !== undefined)
  return [...new Set([sender.account, ...named])]
}

function sharedAttrs(sender: Device, { attrs }: Stanza): Record<string, string | undefined> {
  const { id, type, edit, category, expiration } = attrs
  return { id, type, edit, category, expiration, notify: sender.account.name, t: String(seconds()) }
}

function partsOf(message: Stanza): { jid: string; enc: Stanza }[] {
  return children(child(message, 'participants'), 'to').flatMap((to) => {
    const enc = child(to, 'enc')
    return enc ? [{ jid: to.attrs['jid'] ?? '', enc }] : []
  })
}

function forwardedNodes(message: Stanza): Stanza[] {
  return children(message).filter(({ tag }) => !NETWORK_ONLY.has(tag))
}
