import { child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import type { QueryHandler } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { assertCommunity, createCommunity, linkGroups, unlinkGroups } from './communities.ts'
import type { Group } from './groups.ts'
import { acceptInvitation, addMembers, joinByInvite, revokeInvitations } from './join.ts'
import { leaveGroups } from './leave.ts'
import { changeMembers, checkAdditions, MEMBER_CHANGES } from './members.ts'
import { groupNode, linkedNode } from './node.ts'
import { notifyMembers } from './notify.ts'
import { decideRequests, requestsOf } from './requests.ts'
import { changeDescription, changeSetting, inviteLink } from './settings.ts'

/** Groups and communities (`w:g2`). Members are notified of every change (`w:gp2`). */
export const groups: QueryHandler = (state, device, iq) => {
  const { to = '', type } = iq.attrs
  const [request] = children(iq)
  if (!request) throw refusal(400, 'bad-request')
  if (to === '@g.us') return handleServerRequest(state, device, request, type === 'get')
  if (request.tag === 'accept') return acceptInvitation(state, device, to, request)
  return handleGroupRequest(state, device, state.groups.get(to, device.account), request, type === 'get')
}

function handleServerRequest(
  state: NetworkState,
  device: Device,
  request: Stanza,
  isGet: boolean,
): Stanza[] | undefined {
  const { tag } = request
  if (tag === 'create') return createGroup(state, device, request)
  if (tag === 'participating') return listGroups(state, device.account)
  if (tag === 'invite') return joinByInvite(state, device, request.attrs['code'] ?? '', isGet)
  if (tag === 'leave') return leaveGroups(state, device, request)
  throw refusal(400, 'bad-request')
}

function handleGroupRequest(
  state: NetworkState,
  device: Device,
  group: Group,
  request: Stanza,
  isGet: boolean,
): Stanza[] | undefined {
  const { account } = device
  const { tag } = request
  if (tag === 'query') return [groupNode(group)]
  if (tag === 'sub_groups') return [el('sub_groups', {}, state.groups.subgroups(group).map(linkedNode))]
  if (tag === 'invite') return inviteLink(state, device, group, isGet)
  if (tag === 'revoke') return revokeInvitations(state, device, group, request)
  if (tag === 'membership_approval_requests') return requestsOf(group, account)
  if (tag === 'membership_requests_action') return decideRequests(state, device, group, request)
  if (tag === 'links') return linkGroups(state, device, group, request)
  if (tag === 'unlink') return unlinkGroups(state, device, group, request)
  if (MEMBER_CHANGES.has(tag)) return changeMembers(state, device, group, request)
  if (tag === 'description') return changeDescription(state, device, group, request)
  return changeSetting(state, device, group, request)
}

function createGroup(state: NetworkState, device: Device, request: Stanza): Stanza[] {
  const { subject = '', key } = request.attrs
  if (child(request, 'parent')) return createCommunity(state, device, subject, key)
  const linked = child(request, 'linked_parent')?.attrs['jid']
  const parent = linked === undefined ? undefined : state.groups.get(linked, device.account)
  if (parent) assertCommunity(parent, device)
  const group = state.groups.create(device.account, subject, { parent })
  notifyMembers(state, group, device, el('create', { type: 'new', key }, [groupNode(group)]))
  const { failed, joined } = checkAdditions(state, device.account, group, children(request, 'participant'))
  addMembers(state, device, group, joined, { type: 'new' })
  if (parent)
    notifyMembers(state, parent, device, el('link', { link_type: 'sub_group' }, [linkedNode(group)]))
  const node = groupNode(group)
  return [{ ...node, content: [...children(node), ...failed] }]
}

/** Rate limit of the full list: at most MAX_LISTS queries in LISTS_MS. */
const MAX_LISTS = 20
const LISTS_MS = 10_000
const lists = new WeakMap<AccountState, number[]>()

function listGroups(state: NetworkState, account: AccountState): Stanza[] {
  const now = Date.now()
  const recent = (lists.get(account) ?? []).filter((at) => at > now - LISTS_MS)
  if (recent.length >= MAX_LISTS) throw refusal(429, 'rate-overlimit')
  lists.set(account, [...recent, now])
  return [el('groups', {}, state.groups.of(account).map(groupNode))]
}
