import { el } from '../../stanza.ts'
import type { MexHandler } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { syncAccount } from './account-sync.ts'
import type { AccountState, Device } from './accounts.ts'
import { servedProps } from './props.ts'
import { MAX_LENGTH, usernameFault } from './username-rules.ts'

/**
 * The account's own username (ZP client/coordinators/WaProfileCoordinator.ts, spec/mex). Of the results only SUCCESS is known; what
 * WhatsApp calls the others is not [?].
 */
export const usernames: Readonly<Record<string, MexHandler>> = {
  '25347099718279209': (_state, { account }) => {
    const { username, usernamePin } = account
    if (!username) throw refusal(404, 'Not Found')
    return { xwa2_username_get: { username_info: { username, state: 'OWNED', pin: usernamePin || null } } }
  },
  '26122779627399568': (state, { account }, { input }) => {
    const username = String(input ?? '')
    const result = resultFor(state, account, username)
    const suggestions = result === 'TAKEN' ? suggestionsFor(state, username) : []
    return { xwa2_username_check: { result, suggestions } }
  },
  // Without an input it deletes the username.
  '25757341163897635': (state, device, { input }) => {
    const { account } = device
    const username = String(input ?? '')
    const result = username ? resultFor(state, account, username) : 'SUCCESS'
    if (result === 'SUCCESS') {
      state.directory.setUsername(account, username)
      announce(state, device, { username: account.username || undefined })
    }
    return { xwa2_username_set: { result } }
  },
  '9749436995157074': (state, device, { pin }) => {
    const { account } = device
    if (!account.username) throw refusal(404, 'Not Found')
    const isPin = /^\d{4}$/.test(String(pin ?? ''))
    if (isPin) {
      account.usernamePin = String(pin)
      announce(state, device, { action: 'modify' })
    }
    return { xwa2_username_pin_set: { result: isPin ? 'SUCCESS' : 'INVALID' } }
  },
}

/** Accounts with this AB prop are told by a stored query's notification, in place of `account_sync` (ZP client/types.ts). */
const BY_MEX = 8763

/** Notifies only the other devices of the account. */
function announce(state: NetworkState, device: Device, change: Record<string, string | undefined>): void {
  const { account } = device
  if (servedProps(state, account).props[BY_MEX] !== '1')
    return syncAccount(state, device, el('username', change))
  const { username, usernamePin, lid } = account
  const info = username ? { username, state: 'OWNED', pin: usernamePin || null } : null
  const data = { xwa2_notify_wa_user: { lid_jid: lid, username_info: info } }
  const content = Buffer.from(JSON.stringify({ data }))
  const update = el('update', { op_name: 'AccountSyncUsernameNotification' }, content)
  for (const other of account.devices.values())
    if (other !== device) state.delivery.notify(other, 'mex', [update])
}

function resultFor(state: NetworkState, account: AccountState, username: string): string {
  if (usernameFault(username)) return 'INVALID'
  return (state.directory.byUsername(username) ?? account) === account ? 'SUCCESS' : 'TAKEN'
}

const SUGGESTIONS = 3

/** Free usernames that begin like a taken one. */
function suggestionsFor({ directory }: NetworkState, username: string): string[] {
  const found: string[] = []
  for (let count = 1; found.length < SUGGESTIONS; count += 1) {
    const ending = `_${count}`
    const suggestion = username.toLowerCase().slice(0, MAX_LENGTH - ending.length) + ending
    if (!directory.byUsername(suggestion)) found.push(suggestion)
  }
  return found
}
