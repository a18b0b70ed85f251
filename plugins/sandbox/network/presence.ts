import { el, parseJid, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import { type AccountState, type Device, inFormOf } from './accounts.ts'
import { maySee } from './privacy.ts'
import type { NetworkState } from './state.ts'

/** When an account was last on line (seconds). */
const lastSeen = new WeakMap<AccountState, number>()

/** On line, off line, or the wish to be told of another's. */
export function takePresence(state: NetworkState, device: Device, presence: Stanza): void {
  const { type = 'available', to, name } = presence.attrs
  const { account } = device
  if (type === 'subscribe') {
    const watched = state.directory.find(to ?? '')
    if (!watched || !maySee(watched, account, 'online')) return
    watched.watchers.add(device)
    if (device.isAvailable) state.delivery.whisper(device, presenceOf(watched, account))
    return
  }
  // A companion that was linked by code calls itself so until it knows better.
  if (name && name !== '~') account.name = name
  setAvailable(state, device, type === 'available')
}

/** A connection has ended: its device is off line, and watches nobody any more. */
export function leavePresence(state: NetworkState, device: Device): void {
  setAvailable(state, device, false)
  for (const account of state.directory.all()) account.watchers.delete(device)
}

/** Typing and recording go to the chat's other side, and are gone if nobody is there. */
export function takeChatState(state: NetworkState, device: Device, chatState: Stanza): void {
  const { to = '' } = chatState.attrs
  const isGroup = parseJid(to)?.server === 'g.us'
  const accounts = isGroup ? state.groups.membersOf(to) : [state.directory.find(to)]
  if (isGroup && !accounts.includes(device.account)) return
  const me = inFormOf(isGroup ? '@lid' : to, device.account)
  const attrs = isGroup ? { from: to, participant: me } : { from: me }
  for (const account of accounts) {
    if (!account || account === device.account || account.blocked.has(device.account.lid)) continue
    for (const other of account.devices.values()) {
      // Who does not show itself on line is not told who types either.
      if (other.isAvailable) state.delivery.whisper(other, el('chatstate', attrs, chatState.content))
    }
  }
}

function setAvailable(state: NetworkState, device: Device, isAvailable: boolean): void {
  const { account } = device
  const before = isOnline(account)
  device.isAvailable = isAvailable
  if (isOnline(account) === before) return
  if (before) lastSeen.set(account, seconds())
  for (const watcher of account.watchers) {
    if (watcher.account !== account && watcher.isAvailable && maySee(account, watcher.account, 'online'))
      state.delivery.whisper(watcher, presenceOf(account, watcher.account))
  }
}

function presenceOf(account: AccountState, viewer: AccountState): Stanza {
  const from = account.lid
  if (isOnline(account)) return el('presence', { from, type: 'available' })
  const last = maySee(account, viewer, 'last') ? lastSeen.get(account) : 'deny'
  return el('presence', { from, type: 'unavailable', last })
}

function isOnline({ devices }: AccountState): boolean {
  return [...devices.values()].some(({ isAvailable }) => isAvailable)
}
