import { el } from '../../stanza.ts'
import type { NetworkState } from '../state.ts'
import { unlink } from '../transport/pairing.ts'
import type { AccountState } from './accounts.ts'

/**
 * The number of an account goes to a new one, as a carrier gives numbers to new customers. The former account loses its
 * companions, and is no contact of those who know the number. That it goes on under its LID is a choice of this network, so that
 * tests see what still reaches it [?].
 */
export function reassign(state: NetworkState, former: AccountState, name: string): AccountState {
  for (const id of [...former.devices.keys()]) unlink(state, former, id)
  const account = state.directory.reassign(former, name)
  for (const { contacts } of state.directory.all()) if (contacts.delete(former)) contacts.add(account)
  return account
}

/**
 * Once the phone of a number's new owner has published its keys, those who know the number are told that its identity key has
 * changed, in the form that a re-installation has (WR src/handlers/notification/device.rs, ZP client/events/identity.ts). Whether
 * WhatsApp says more of a new owner is not known [?].
 */
export function announceOwner(state: NetworkState, account: AccountState): void {
  const { former, jid, lid } = account
  const { namesNoAlternates: isBare, quietDevices } = state.faults.networkWide
  if (!former || quietDevices) return
  for (const other of state.directory.all()) {
    if (!other.correspondents.has(former) && !other.contacts.has(account)) continue
    for (const device of other.devices.values())
      state.delivery.notify(device, 'encrypt', [el('identity')], { from: jid, lid: isBare ? undefined : lid })
  }
}
