import { child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../accounts.ts'
import { tell } from '../group-news.ts'
import { groupNode, linkedNode } from '../group-node.ts'
import type { Group } from '../groups.ts'
import { refusal } from '../refusal.ts'
import type { Query } from '../router.ts'
import type { NetworkState } from '../state.ts'
import { createCommunity, link, unlink } from './communities.ts'
import { accept, join, withInvite } from './group-entry.ts'
import { leave } from './group-leave.ts'
import { add, change, MEMBER_CHANGES } from './group-members.ts'
import { decideRequests, requestsOf } from './group-requests.ts'
import { describe, inviteOf, set } from './group-settings.ts'

/** Groups and communities: w:g2. Every change is told to the members by a w:gp2 notification. */
export const groups: Query = (state, device, iq) => {
  const { to = '', type } = iq.attrs
  const [request] = children(iq)
  if (!request) throw refusal(400, 'bad-request')
  if (to === '@g.us') return toServer(state, device, request, type === 'get')
  if (request.tag === 'accept') return accept(state, device, to, request)
  return toGroup(state, device, state.groups.get(to, device.account), request, type === 'get')
}

function toServer(
  state: NetworkState,
  device: Device,
  request: Stanza,
  isGet: boolean,
): Stanza[] | undefined {
  const { tag } = request
  if (tag === 'create') return create(state, device, request)
  if (tag === 'participating') return list(state, device.account)
  if (tag === 'invite') return withInvite(state, device, request.attrs['code'] ?? '', isGet)
  if (tag === 'leave') return leave(state, device, request)
  throw refusal(400, 'bad-request')
}

function toGroup(
  state: NetworkState,
  device: Device,
  group: Group,
  request: Stanza,
  isGet: boolean,
): Stanza[] | undefined {
  const { account } = device
  const { tag } = request
  if (tag === 'query') return [groupNode(group)]
  if (tag === 'sub_groups') return [el('sub_groups', {}, state.groups.within(group).map(linkedNode))]
  if (tag === 'invite') return inviteOf(state, device, group, isGet)
  if (tag === 'membership_approval_requests') return requestsOf(group, account)
  if (tag === 'membership_requests_action') return decideRequests(state, device, group, request)
  if (tag === 'links') return link(state, device, group, request)
  if (tag === 'unlink') return unlink(state, device, group, request)
  if (MEMBER_CHANGES.has(tag)) return change(state, device, group, request)
  if (tag === 'description') return describe(state, device, group, request)
  return set(state, device, group, request)
}

function create(state: NetworkState, device: Device, request: Stanza): Stanza[] {
  const { subject = '', key } = request.attrs
  if (child(request, 'parent')) return createCommunity(state, device, subject, key)
  const group = state.groups.create(device.account, subject)
  tell(state, group, device, el('create', { type: 'new', key }, [groupNode(group)]))
  const { failed, joined } = add(state, device.account, group, children(request, 'participant'))
  join(state, device, group, joined, { type: 'new' })
  const node = groupNode(group)
  return [{ ...node, content: [...children(node), ...failed] }]
}

/** The whole list costs much; who asks for it too often has to wait. */
const LISTS_MOST = 20
const LISTS_MS = 10_000
const lists = new WeakMap<AccountState, number[]>()

function list(state: NetworkState, account: AccountState): Stanza[] {
  const now = Date.now()
  const recent = (lists.get(account) ?? []).filter((at) => at > now - LISTS_MS)
  if (recent.length >= LISTS_MOST) throw refusal(429, 'rate-overlimit')
  lists.set(account, [...recent, now])
  return [el('groups', {}, state.groups.of(account).map(groupNode))]
}
