import { child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { assertAdmin, type Group, isAdmin } from './groups.ts'
import { addMembers } from './join.ts'
import { groupNode, linkedNode } from './node.ts'
import { notifyMembers } from './notify.ts'

/** Creates a community with its announcement group. */
export function createCommunity(
  state: NetworkState,
  device: Device,
  subject: string,
  key: string | undefined,
): Stanza[] {
  const parent = state.groups.create(device.account, subject, { isParent: true })
  const announcements = state.groups.create(device.account, subject, {
    parent,
    isDefault: true,
    isAnnouncement: true,
  })
  notifyMembers(state, parent, device, el('create', { type: 'new', key }, [groupNode(parent)]))
  notifyMembers(state, announcements, device, el('create', { type: 'new' }, [groupNode(announcements)]))
  return [groupNode(parent)]
}

/** Links groups to a community, with a result for each. */
export function linkGroups(state: NetworkState, device: Device, parent: Group, request: Stanza): Stanza[] {
  assertCommunity(parent, device)
  const results = children(child(request, 'link'), 'group').map(({ attrs }) => {
    const group = state.groups.find(attrs['jid'] ?? '')
    const error = linkError(group, device)
    if (!group || error) return el('group', { jid: attrs['jid'], error })
    group.parent = parent
    addMembers(state, device, group, [...group.members.keys()])
    notifyMembers(state, group, device, el('link', { link_type: 'parent_group' }, [linkedNode(parent)]))
    notifyMembers(state, parent, device, el('link', { link_type: 'sub_group' }, [linkedNode(group)]))
    return el('group', { jid: group.jid })
  })
  return [el('links', {}, [el('link', { link_type: 'sub_group' }, results)])]
}

function linkError(group: Group | undefined, device: Device): number | undefined {
  if (!group) return 404
  if (!isAdmin(group, device.account)) return 403
  if (group.isParent) return 406
  return group.parent ? 409 : undefined
}

/** Unlinks groups from a community; their members remain in the community. */
export function unlinkGroups(state: NetworkState, device: Device, parent: Group, request: Stanza): Stanza[] {
  assertCommunity(parent, device)
  const results = children(request, 'group').map(({ attrs }) => {
    const group = state.groups.find(attrs['jid'] ?? '')
    if (group?.parent !== parent) return el('group', { jid: attrs['jid'], error: 404 })
    if (group.isDefault) return el('group', { jid: attrs['jid'], error: 406 })
    group.parent = undefined
    const how = { unlink_reason: 'unlink_group' }
    notifyMembers(
      state,
      group,
      device,
      el('unlink', { ...how, unlink_type: 'parent_group' }, [linkedNode(parent)]),
    )
    notifyMembers(
      state,
      parent,
      device,
      el('unlink', { ...how, unlink_type: 'sub_group' }, [linkedNode(group)]),
    )
    return el('group', { jid: group.jid })
  })
  return [el('unlink', { unlink_type: 'sub_group' }, results)]
}

/** Throws 400 for a group, 403 unless the device's account is an admin. */
export function assertCommunity(parent: Group, device: Device): void {
  if (!parent.isParent) throw refusal(400, 'bad-request')
  assertAdmin(parent, device.account)
}
