import type { Stanza } from '../../types.ts'
import type { NetworkState } from '../state.ts'
import type { Device } from './accounts.ts'

/** Notifies the account's other devices of a setting that one device changed (`account_sync`). */
export function syncAccount(state: NetworkState, actor: Device, change: Stanza): void {
  const { account } = actor
  for (const device of account.devices.values())
    if (device !== actor) state.delivery.notify(device, 'account_sync', [change], { from: account.jid })
}
