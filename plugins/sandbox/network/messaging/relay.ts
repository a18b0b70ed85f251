import { bare, child, children, el, HOSTED_DEVICE, parseJid, seconds, serverOf } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type AccountState, type Device, shownJid } from '../directory/accounts.ts'
import { servedProps } from '../directory/props.ts'
import { isTokenless } from '../directory/tokens.ts'
import { recordChat, refusalOfNewChat } from '../faults/restrict.ts'
import { isAdmin } from '../groups/groups.ts'
import { handlePost } from '../newsletters/posts.ts'
import type { NetworkState } from '../state.ts'
import { hasStaleLid, isMisaddressed } from './address-space.ts'
import { hashForAck } from './participant-hash.ts'
import {
  isKindless,
  isMisformedStatus,
  isViewOnce,
  lacksSetting,
  settingOf,
  withoutContent,
} from './stanza-forms.ts'
import { expireStatuses } from './statuses.ts'

const MAX_RECENT_IDS = 20_000

/** Child nodes for the network only, which are not forwarded. */
const NETWORK_ONLY = new Set(['participants', 'enc', 'tctoken', 'cstoken', 'reporting'])

/** Acknowledges or refuses a message of a device, and relays to each recipient its ciphertext. */
export function handleMessage(state: NetworkState, sender: Device, message: Stanza): void {
  const { to = '', id = '', participant } = message.attrs
  if (parseJid(to)?.server === 'newsletter') return handlePost(state, sender, message)
  const acknowledge = (error?: string, phash?: string): void => {
    const refresh_lid = hasStaleLid(state, sender, message) ? 'true' : undefined
    const attrs = { class: 'message', id, from: to, participant, t: seconds(), error, phash, refresh_lid }
    if (error) state.counters.refused += 1
    else state.counters.acks += 1
    const ack = el('ack', attrs)
    if (!state.faults.withhold(sender, ack)) state.faults.delay(sender, () => sender.link?.send(ack))
  }
  const isResend = message.attrs['device_fanout'] === 'false' || participant !== undefined
  const refused = isResend
    ? refusalOfResend(state, sender, message)
    : (state.faults.refusal(sender.account) ?? refusalOf(state, sender, message) ?? bizRefusal(message))
  if (refused) return acknowledge(refused)
  if (!isResend && isDuplicate(sender.account, `${to} ${id}`)) {
    state.counters.duplicates += 1
    return acknowledge()
  }
  state.counters.messages += 1
  acknowledge(undefined, isResend ? undefined : hashForAck(state, sender, message))
  if (!isResend && isKindless(state, message)) {
    state.counters.droppedMedia += 1
    return
  }
  if (parseJid(to)?.server === 'g.us' || to === 'status@broadcast') relayGroup(state, sender, message)
  else relayDirect(state, sender, message)
}

/** After a retry receipt, the sender may resend the message under the same id, to that device or to all. */
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
function refusalOf(state: NetworkState, sender: Device, message: Stanza): string | undefined {
  const { to = '', edit, type } = message.attrs
  const target = parseJid(to)
  if (!target) return '400'
  if (target.server === 'g.us') {
    const refused =
      state.groups.refusalFor(to, sender.account, type) ?? refusalOfHistory(state, sender.account, message)
    if (refused || edit !== '8' || state.faults.networkWide.lenientRevokes) return refused
    // Only admins may revoke other members' messages (go-whatsapp-web-multidevice#640).
    return isAdmin(state.groups.get(to, sender.account), sender.account) ? undefined : '403'
  }
  // 479 is SmaxInvalid: the stanza does not have the form that the network requires (whatsapp-rust tests/e2e/tests/status.rs).
  if (to === 'status@broadcast') return isMisformedStatus(message) ? '479' : undefined
  const account = state.directory.find(to)
  if (!account) return '404'
  if (isMisaddressed(state, sender, message)) return misaddressed(state)
  return refusalOfNewChat(sender.account, account) ?? refusalOfStranger(state, sender, account, message)
}

/** The error code for a resend to one device of a person; a resend in a group needs no token. */
function refusalOfResend(state: NetworkState, sender: Device, message: Stanza): string | undefined {
  const { to = '' } = message.attrs
  if (isMisaddressed(state, sender, message)) return misaddressed(state)
  const target = parseJid(to)?.server === 'g.us' ? undefined : state.directory.find(to)
  return target && refusalOfStranger(state, sender, target, message, true)
}

function misaddressed({ counters }: NetworkState): string {
  counters.misaddressed += 1
  return '400'
}

function refusalOfStranger(
  state: NetworkState,
  { account }: Device,
  target: AccountState,
  message: Stanza,
  isResend = false,
): string | undefined {
  if (!isTokenless(state, account, target, message, isResend)) return undefined
  state.counters.tokenless += 1
  return '463'
}

function relayDirect(state: NetworkState, sender: Device, message: Stanza): void {
  const { to = '' } = message.attrs
  const target = state.directory.find(to)
  // A sender blocked by the recipient gets an ack like any other, but only its own devices get the message.
  const isBlocked = target?.blocked.has(sender.account.lid) === true
  if (target && !isBlocked) recordChat(sender.account, target)
  const direct = child(message, 'enc')
  if (target && direct?.attrs['type'] === 'msmsg') return relayToAll(state, sender, target, message)
  const parts = direct ? [{ jid: to, enc: direct }] : partsOf(message)
  for (const { jid, enc } of parts) {
    const device = state.directory.device(jid)
    if (!device || device === sender || (isBlocked && device.account === target)) continue
    const encs = contentFor(state, device, message, [enc])
    state.delivery.deliver(device, directStanza(state, sender, device, message, encs))
  }
}

/** A bot's answer is encrypted with the question's secret, which every device of the account has. */
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
  const server = serverOf(to)
  // Sender and recipient are in the space of the message (WR src/message/tests.rs), of one to a bot by LID
  // (WhiskeySockets/Baileys#2822).
  const byLid = server === 'lid' || (isOwn ? server === 'bot' : sender.account.hidesNumber)
  const isBare = state.faults.networkWide.namesNoAlternates
  const alternate = byLid
    ? { sender_pn: isBare ? undefined : shownJid(sender.account), addressing_mode: 'lid' }
    : { sender_lid: isBare ? undefined : bare(sender.lid) }
  return el(
    'message',
    {
      from: byLid ? sender.lid : sender.jid,
      ...sharedAttrs(sender, message),
      ...(isOwn && !category
        ? { recipient: recipient ?? bare(to), ...recipientAlternate(state, message) }
        : alternate),
      // What a hosted device has written names the account's own number, too, beside the recipient (zapo #241).
      ...(sender.id === HOSTED_DEVICE ? alternate : {}),
    },
    [...encs, ...forwardedNodes(sender, message)],
  )
}

function recipientAlternate(
  { directory }: NetworkState,
  { attrs }: Stanza,
): Record<string, string | undefined> {
  const { to = '', peer_recipient_lid } = attrs
  const target = directory.find(to)
  const isLid = serverOf(to) === 'lid'
  return {
    peer_recipient_lid,
    peer_recipient_pn: isLid ? target && shownJid(target) : undefined,
    peer_recipient_username: target?.username || undefined,
  }
}

function relayGroup(state: NetworkState, sender: Device, message: Stanza): void {
  const { to = '', participant } = message.attrs
  const keys = new Map(partsOf(message).map(({ jid, enc }) => [state.directory.device(jid), enc]))
  const body = child(message, 'enc')
  const only = participant ? state.directory.device(participant) : undefined
  const members = participant ? [] : recipientsOf(state, to, sender, keys)
  // Hosted devices take no part in groups (WM send.go, zapo #111).
  const all = members.flatMap((account) => [...account.devices.values()])
  const devices = only ? [only] : all.filter(({ id }) => id !== HOSTED_DEVICE)
  const isLid = message.attrs['addressing_mode'] !== 'pn' || sender.account.hidesNumber
  // A revocation, and which post it revokes, is encrypted; only its mark shows that it is no post.
  if (to === 'status@broadcast' && !only && message.attrs['edit'] === undefined) {
    const { id = '' } = message.attrs
    expireStatuses(state)
    const from = sender.account.phone
    // Stock Baileys sends a post again under its id, without its setting, when a device asks for it.
    if (!state.statuses.some((known) => known.id === id && known.from === from)) {
      const to = members.map(({ phone }) => phone)
      if (lacksSetting(message)) state.counters.unmarkedStatuses += 1
      state.statuses.push({ id, from, to, setting: settingOf(message), time: seconds() })
    }
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
  const nodes = forwardedNodes(sender, message)
  for (const device of devices) {
    if (device === sender) continue
    const key = keys.get(device)
    // The sender key must precede the message that it decrypts.
    const ciphertexts = [key, body].filter((enc) => enc !== undefined)
    const encs = contentFor(state, device, message, ciphertexts)
    if (encs.length > 0)
      state.delivery.deliver(device, el(tagFor(state, device, to), attrs, [...encs, ...nodes]))
  }
}

/** What a device gets of a message: the ciphertexts, or of one that is viewed once the news that there is none for it. */
function contentFor({ faults }: NetworkState, device: Device, message: Stanza, encs: Stanza[]): Stanza[] {
  const isHidden = isViewOnce(message) && device.id !== 0 && !faults.networkWide.legacyViewOnce
  return isHidden ? withoutContent(encs) : encs
}

/** Companions get status posts as `status` stanzas (WR#1101); whether this is so for all accounts is not known. */
function tagFor({ faults }: NetworkState, { id }: Device, to: string): 'message' | 'status' {
  return to === 'status@broadcast' && id !== 0 && !faults.networkWide.legacyStatuses ? 'status' : 'message'
}

/** The members of a group; for a status post, the accounts that it lists and the sender's own. */
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

function forwardedNodes({ account }: Device, message: Stanza): Stanza[] {
  const nodes = children(message).filter(({ tag }) => !NETWORK_ONLY.has(tag))
  return withPrivacyMode(account, nodes)
}

/** The numbers of the attributes (WA Web WAWebHandleMsgTypes). */
const ACTORS = { self: 1, bsp: 2, capi: 3 } as const
const STORAGE = { onPremise: 1, facebook: 2 } as const

/**
 * The nodes of a message as its receivers get them. The messages of a business whose chats others than its apps read and store
 * say so in their `biz` node (WA Web WAWebHandleMsgParser); that the network adds it is not known [?].
 */
function withPrivacyMode({ privacyMode }: AccountState, nodes: Stanza[]): Stanza[] {
  if (!privacyMode) return nodes
  const { actors, storage, since } = privacyMode
  const mode = { actual_actors: ACTORS[actors], host_storage: STORAGE[storage], privacy_mode_ts: since }
  const biz = child(el('message', {}, nodes), 'biz')
  const marked = el('biz', { ...biz?.attrs, ...mode }, biz?.content)
  return [...nodes.filter((node) => node !== biz), marked]
}

/**
 * The error code for an invalid `biz` node, which is all that the network can check of an encrypted message. As measured in
 * tulir/whatsmeow#1235: 405 for legacy buttons, 479 for an interactive node that does not name its flow. A message without
 * a `biz` node is accepted, but clients do not show its buttons.
 */
function bizRefusal(message: Stanza): string | undefined {
  const biz = child(message, 'biz')
  if (child(biz, 'buttons')) return '405'
  const interactive = child(biz, 'interactive')
  return interactive && !child(interactive, 'native_flow')?.attrs['name'] ? '479' : undefined
}

/** Whether the account may share the history of groups (group_history_send). By default none may (zapo spec/abprops). */
const SEND = 15313

/**
 * The error code for the bundle with which a member shares the history of a group: 479 from an account that may not (zapo
 * WaMessageCoordinator.ts), 403 from a member that is not an admin, as the mode `admin_share` wants it. The code of the latter is not
 * known, nor which mode groups have by default.
 */
function refusalOfHistory(state: NetworkState, sender: AccountState, message: Stanza): string | undefined {
  if (!isBundle(message)) return undefined
  const { props } = servedProps(state, sender)
  if (props[SEND] !== '1' && props[SEND] !== 'true') return '479'
  return isAdmin(state.groups.get(message.attrs['to'] ?? '', sender), sender) ? undefined : '403'
}

function isBundle(message: Stanza): boolean {
  const [first] = children(child(message, 'participants'), 'to')
  return child(first, 'enc')?.attrs['mediatype'] === 'group_history'
}
