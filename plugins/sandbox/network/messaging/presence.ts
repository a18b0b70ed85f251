import { el, parseJid, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type AccountState, type Device, inFormOf } from '../directory/accounts.ts'
import { maySee, type Visibility } from '../directory/privacy.ts'
import { isTrusted } from '../directory/tokens.ts'
import { clockOf, type NetworkState } from '../state.ts'

interface Watcher {
  readonly isTrusted: boolean
}

/** Handles a device's own presence, or its subscription to another account's presence. */
export function handlePresence(state: NetworkState, device: Device, presence: Stanza): void {
  const { type = 'available', to, name } = presence.attrs
  const { account } = device
  if (type === 'subscribe') {
    const watched = state.directory.find(to ?? '')
    if (!watched) return
    const watcher = { isTrusted: isTrusted(state, watched, account, presence) }
    if (!isShared(watched, account, 'online', watcher)) return
    watched.watchers.set(device, watcher)
    if (device.isAvailable) state.delivery.sendTransient(device, presenceOf(watched, account, watcher))
    return
  }
  // A companion linked by code reports `~` until it knows its account's name.
  if (name && name !== '~') account.name = name
  setAvailable(state, device, type === 'available')
}

/** Marks the device of a closed connection as offline and ends its presence subscriptions. */
export function goOffline(state: NetworkState, device: Device): void {
  setAvailable(state, device, false)
  for (const account of state.directory.all()) account.watchers.delete(device)
}

/**
 * Forwards typing and recording to the chat's online devices, without queueing. One that names its sender is counted:
 * whatsmeow no longer sends `from` (1494ba73). WhatsApp takes it from Baileys.
 */
export function handleChatState(state: NetworkState, device: Device, chatState: Stanza): void {
  const { to = '', from } = chatState.attrs
  if (from) state.counters.chatStatesWithFrom += 1
  const isGroup = parseJid(to)?.server === 'g.us'
  const accounts = isGroup ? state.groups.membersOf(to) : [state.directory.find(to)]
  if (isGroup && !accounts.includes(device.account)) return
  const me = inFormOf(isGroup ? '@lid' : to, device.account)
  const attrs = isGroup ? { from: to, participant: me } : { from: me }
  for (const account of accounts) {
    if (!account || account === device.account || account.blocked.has(device.account.lid)) continue
    for (const other of account.devices.values()) {
      // Only devices that sent `available` receive chat states.
      if (other.isAvailable) state.delivery.sendTransient(other, el('chatstate', attrs, chatState.content))
    }
  }
}

const DAY_MS = 24 * 3_600_000
const WEEK_MS = 7 * DAY_MS
/** `t` of a login is in whole seconds, and a reply takes its time. */
const CLOCK_ERROR_MS = 10_000

/**
 * Counts a report of the client's unified session, which WhatsApp Web sends after each login and before each presence
 * `available`. Its id is the time since the beginning of the week, three days ahead (whatsmeow client.go, whatsapp-rust
 * wacore/src/ib.rs).
 */
export function handleUnifiedSession(state: NetworkState, { attrs }: Stanza): void {
  const expected = (clockOf(state) * 1000 + 3 * DAY_MS) % WEEK_MS
  const distance = Math.abs(Number(attrs['id']) - expected)
  if (Math.min(distance, WEEK_MS - distance) < CLOCK_ERROR_MS) state.counters.unifiedSessions += 1
}

function setAvailable(state: NetworkState, device: Device, isAvailable: boolean): void {
  const { account } = device
  const wasOnline = isOnline(account)
  device.isAvailable = isAvailable
  if (isOnline(account) === wasOnline) return
  if (wasOnline) account.lastSeen = seconds()
  for (const [watching, watcher] of account.watchers) {
    const viewer = watching.account
    if (viewer !== account && watching.isAvailable && isShared(account, viewer, 'online', watcher))
      state.delivery.sendTransient(watching, presenceOf(account, viewer, watcher))
  }
}

function presenceOf(account: AccountState, viewer: AccountState, watcher: Watcher): Stanza {
  const from = account.lid
  if (isOnline(account)) return el('presence', { from, type: 'available' })
  const last = isShared(account, viewer, 'last', watcher) ? account.lastSeen : 'deny'
  return el('presence', { from, type: 'unavailable', last })
}

/** Visibility is mutual: an account that hides it does not see it of others (WhatsApp FAQ, "About last seen and online"). */
function isShared(
  owner: AccountState,
  viewer: AccountState,
  what: Visibility,
  { isTrusted }: Watcher,
): boolean {
  return maySee(owner, viewer, what, isTrusted) && maySee(viewer, owner, what)
}

function isOnline({ devices }: AccountState): boolean {
  return [...devices.values()].some(({ isAvailable }) => isAvailable)
}
