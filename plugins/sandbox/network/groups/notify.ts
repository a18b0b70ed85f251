import type { Stanza } from '../../types.ts'
import { type AccountState, type Device, shownJid } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'
import { type Group, isAdmin } from './groups.ts'

/** Notifies every device of the members, including the actor's, of a change (`w:gp2`). */
export function notifyMembers(
  state: NetworkState,
  group: Group,
  actor: Device,
  change: Stanza,
  members: Iterable<AccountState> = group.members.keys(),
): void {
  const { account } = actor
  const attrs = {
    from: group.jid,
    participant: account.lid,
    participant_pn: shownJid(account),
    participant_username: account.username || undefined,
    addressing_mode: 'lid',
    notify: account.name,
  }
  toDevices(members, (device) => state.delivery.notify(device, 'w:gp2', [change], attrs))
}

/** Notifies the admins only. */
export function notifyAdmins(state: NetworkState, group: Group, actor: Device, change: Stanza): void {
  const admins = [...group.members.keys()].filter((member) => isAdmin(group, member))
  notifyMembers(state, group, actor, change, admins)
}

/** Notifies all members of a new picture, which has its own notification type. */
export function notifyPicture(state: NetworkState, group: Group, change: Stanza): void {
  toDevices(group.members.keys(), (device) =>
    state.delivery.notify(device, 'picture', [change], { from: group.jid }),
  )
}

function toDevices(members: Iterable<AccountState>, send: (device: Device) => void): void {
  for (const member of [...members]) for (const device of member.devices.values()) send(device)
}

/** Increments the version; returns attributes with the previous and the new version. */
export function nextVersions(group: Group): { prev_v_id: number; v_id: number } {
  const prev_v_id = group.version
  group.version += 1
  return { prev_v_id, v_id: group.version }
}
