import type { Stanza } from '../types.ts'
import type { AccountState, Device } from './accounts.ts'
import { type Group, isAdmin } from './groups.ts'
import type { NetworkState } from './state.ts'

/** Tells every device of the members, the one that acted too, of a change (`w:gp2`). */
export function tell(
  state: NetworkState,
  group: Group,
  by: Device,
  change: Stanza,
  members: Iterable<AccountState> = group.members.keys(),
): void {
  const { account } = by
  const attrs = {
    from: group.jid,
    participant: account.lid,
    participant_pn: account.jid,
    addressing_mode: 'lid',
    notify: account.name,
  }
  toDevices(members, (device) => state.delivery.notify(device, 'w:gp2', [change], attrs))
}

/** What only admins hear of. */
export function tellAdmins(state: NetworkState, group: Group, by: Device, change: Stanza): void {
  const admins = [...group.members.keys()].filter((member) => isAdmin(group, member))
  tell(state, group, by, change, admins)
}

/** To the devices of all members: the picture, which has a type of its own. */
export function tellPicture(state: NetworkState, group: Group, change: Stanza): void {
  toDevices(group.members.keys(), (device) =>
    state.delivery.notify(device, 'picture', [change], { from: group.jid }),
  )
}

function toDevices(members: Iterable<AccountState>, send: (device: Device) => void): void {
  for (const member of [...members]) for (const device of member.devices.values()) send(device)
}

/** Counts a change of the members, and names the versions before and after. */
export function versions(group: Group): { prev_v_id: number; v_id: number } {
  const prev_v_id = group.version
  group.version += 1
  return { prev_v_id, v_id: group.version }
}
