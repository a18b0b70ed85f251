import { el, parseJid, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import { type AccountState, type Device, inFormOf } from './accounts.ts'
import type { NetworkState } from './state.ts'

/** On line, off line, or the wish to be told of another's. */
export function takePresence(state: NetworkState, device: Device, presence: Stanza): void {
  const { type = 'available', to, name } = presence.attrs
  const { account } = device
  if (type === 'subscribe') {
    const watched = state.directory.find(to ?? '')
    if (!watched || !mayWatch(watched, account)) return
    watched.watchers.add(device)
    const isOnline = [...watched.devices.values()].some(({ isAvailable }) => isAvailable)
    state.delivery.whisper(device, presenceOf(to ?? watched.jid, isOnline))
    return
  }
  if (name && device.id === 0) account.name = name
  device.isAvailable = type === 'available'
  for (const watcher of account.watchers) {
    if (watcher.account !== account)
      state.delivery.whisper(watcher, presenceOf(account.lid, device.isAvailable))
  }
}

/** Typing and recording go to the chat's other side, and are gone if nobody is there. */
export function takeChatState(state: NetworkState, device: Device, chatState: Stanza): void {
  const { to = '' } = chatState.attrs
  const isGroup = parseJid(to)?.server === 'g.us'
  const accounts = isGroup ? state.groups.membersOf(to) : [state.directory.find(to)]
  const me = inFormOf(isGroup ? '@lid' : to, device.account)
  const attrs = isGroup ? { from: to, participant: me } : { from: me }
  for (const account of accounts) {
    if (!account || account === device.account || account.blocked.has(device.account.lid)) continue
    for (const other of account.devices.values()) {
      state.delivery.whisper(other, el('chatstate', attrs, chatState.content))
    }
  }
}

function presenceOf(from: string, isOnline: boolean): Stanza {
  return el(
    'presence',
    isOnline ? { from, type: 'available' } : { from, type: 'unavailable', last: seconds() },
  )
}

function mayWatch(watched: AccountState, watcher: AccountState): boolean {
  return watched.privacy.get('online') !== 'none' && !watched.blocked.has(watcher.lid)
}
