import { child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../accounts.ts'
import { tell } from '../group-news.ts'
import { groupNode, linkedNode } from '../group-node.ts'
import { type Group, isAdmin, needAdmin } from '../groups.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { join } from './group-entry.ts'

/** A community comes with a group of its own, in which its admins announce. */
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
  tell(state, parent, device, el('create', { type: 'new', key }, [groupNode(parent)]))
  tell(state, announcements, device, el('create', { type: 'new' }, [groupNode(announcements)]))
  return [groupNode(parent)]
}

/** Links groups to a community; each has a result of its own. */
export function link(state: NetworkState, device: Device, parent: Group, request: Stanza): Stanza[] {
  needParent(parent, device)
  const results = children(child(request, 'link'), 'group').map(({ attrs }) => {
    const group = state.groups.find(attrs['jid'] ?? '')
    const error = linkError(group, device)
    if (!group || error) return el('group', { jid: attrs['jid'], error })
    group.parent = parent
    join(state, device, group, [...group.members.keys()])
    tell(state, group, device, el('link', { link_type: 'parent_group' }, [linkedNode(parent)]))
    tell(state, parent, device, el('link', { link_type: 'sub_group' }, [linkedNode(group)]))
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

/** Takes groups out of a community; their members stay in it. */
export function unlink(state: NetworkState, device: Device, parent: Group, request: Stanza): Stanza[] {
  needParent(parent, device)
  const results = children(request, 'group').map(({ attrs }) => {
    const group = state.groups.find(attrs['jid'] ?? '')
    if (group?.parent !== parent) return el('group', { jid: attrs['jid'], error: 404 })
    if (group.isDefault) return el('group', { jid: attrs['jid'], error: 406 })
    group.parent = undefined
    const how = { unlink_reason: 'unlink_group' }
    tell(state, group, device, el('unlink', { ...how, unlink_type: 'parent_group' }, [linkedNode(parent)]))
    tell(state, parent, device, el('unlink', { ...how, unlink_type: 'sub_group' }, [linkedNode(group)]))
    return el('group', { jid: group.jid })
  })
  return [el('unlink', { unlink_type: 'sub_group' }, results)]
}

function needParent(parent: Group, device: Device): void {
  if (!parent.isParent) throw refusal(400, 'bad-request')
  needAdmin(parent, device.account)
}
