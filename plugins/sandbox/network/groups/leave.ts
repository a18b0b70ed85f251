import { children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'
import { type Group, isAdmin } from './groups.ts'
import { participantNode } from './node.ts'
import { nextVersions, notifyMembers } from './notify.ts'

/** Leaves groups; leaving a community leaves all of its groups. */
export function leaveGroups(state: NetworkState, device: Device, request: Stanza): Stanza[] {
  for (const { tag, attrs } of children(request)) {
    const jid = `${attrs['id']?.replace('@g.us', '')}@g.us`
    const group = state.groups.get(jid, device.account)
    const subgroups = tag === 'community' ? state.groups.subgroups(group) : []
    for (const one of [...subgroups, group])
      if (one.members.has(device.account)) leaveGroup(state, device, one)
  }
  return [el('leave', {}, children(request))]
}

/** Removes a leaving member. If no admin remains, the oldest member is promoted. */
function leaveGroup(state: NetworkState, device: Device, group: Group): void {
  const { account } = device
  const notified = [...group.members.keys()]
  group.members.delete(account)
  group.left.add(account)
  notifyMembers(
    state,
    group,
    device,
    el('remove', { reason: 'leave', ...nextVersions(group) }, [participantNode(account)]),
    notified,
  )
  const [successor] = group.members.keys()
  if (!successor || [...group.members.keys()].some((member) => isAdmin(group, member))) return
  group.members.set(successor, 'admin')
  notifyMembers(
    state,
    group,
    device,
    el('promote', nextVersions(group), [participantNode(successor, 'admin')]),
  )
}
