import { bytes, child, children, el, seconds, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../accounts.ts'
import { type Group, groupNode, isAdmin, newInvite } from '../groups.ts'
import { refusal } from '../refusal.ts'
import type { Query } from '../router.ts'
import type { NetworkState } from '../state.ts'

/** Groups: w:g2. Every change is told to the members by a w:gp2 notification. */
export const groups: Query = (state, device, iq) => {
  const { to = '' } = iq.attrs
  const [request] = children(iq)
  if (!request) throw refusal(400, 'bad-request')
  if (to.endsWith('@g.us') && to !== '@g.us')
    return inGroup(state, device, state.groups.get(to, device.account), iq, request)
  const { account } = device
  switch (request.tag) {
    case 'create':
      return create(state, device, request)
    case 'participating':
      return [el('groups', {}, state.groups.of(account).map(groupNode))]
    case 'invite':
      return invite(state, device, iq, request)
    case 'leave':
      for (const { attrs } of children(request))
        leave(state, device, state.groups.get(`${attrs['id']?.replace('@g.us', '')}@g.us`, account))
      return [el('leave', {}, children(request))]
    default:
      throw refusal(400, 'bad-request')
  }
}

function create(state: NetworkState, device: Device, request: Stanza): Stanza[] {
  const group = state.groups.create(device.account, request.attrs['subject'] ?? '')
  const failed = children(request, 'participant').flatMap(({ attrs }) =>
    add(state, group, attrs['jid'] ?? ''),
  )
  const node = groupNode(group)
  const body = text(child(child(request, 'description'), 'body'))
  if (body) group.description = { id: newInvite(), text: body, by: device.account, at: seconds() }
  tell(state, group, device, el('create', { type: 'new' }, [node]), group.members.keys())
  return [{ ...node, content: [...children(node), ...failed] }]
}

/** Adds one member; answers the participant with its error when that is not possible. */
function add(state: NetworkState, group: Group, jid: string): Stanza[] {
  const account = state.directory.find(jid)
  const code = !account
    ? 404
    : group.members.has(account)
      ? 409
      : account.privacy.get('groupadd') === 'none'
        ? 403
        : undefined
  if (!account || code) return [el('participant', { jid, error: code })]
  group.members.set(account, 'member')
  return []
}

function invite(state: NetworkState, device: Device, iq: Stanza, request: Stanza): Stanza[] {
  const group = state.groups.byInvite(request.attrs['code'] ?? '')
  if (iq.attrs['type'] === 'get') return [groupNode(group)]
  if (group.members.has(device.account)) throw refusal(409, 'conflict')
  group.members.set(device.account, 'member')
  tell(state, group, device, el('add', { reason: 'invite' }, [participant(device.account)]))
  return [el('group', { jid: group.jid })]
}

function inGroup(
  state: NetworkState,
  device: Device,
  group: Group,
  iq: Stanza,
  request: Stanza,
): Stanza[] | undefined {
  const { account } = device
  const { tag } = request
  const needAdmin = (): void => {
    if (!isAdmin(group, account)) throw refusal(403, 'forbidden')
  }
  const needEditor = (): void => {
    if (group.isLocked) needAdmin()
  }
  if (tag === 'query') return [groupNode(group)]
  if (tag === 'invite') {
    needAdmin()
    if (iq.attrs['type'] === 'set') group.invite = newInvite()
    return [el('invite', { code: group.invite })]
  }
  if (tag === 'add' || tag === 'remove' || tag === 'promote' || tag === 'demote') {
    needAdmin()
    return [
      el(
        tag,
        {},
        children(request, 'participant').map(({ attrs }) =>
          changeMember(state, device, group, tag, attrs['jid'] ?? ''),
        ),
      ),
    ]
  }
  if (tag === 'subject' || tag === 'description' || tag === 'ephemeral' || tag === 'not_ephemeral')
    needEditor()
  else needAdmin()
  change(group, account, request)
  tell(
    state,
    group,
    device,
    tag === 'subject'
      ? el('subject', { subject: group.subject, s_t: group.subjectAt, s_o: account.lid })
      : request,
  )
  return undefined
}

function change(group: Group, account: AccountState, request: Stanza): void {
  const { tag, attrs } = request
  if (tag === 'subject')
    Object.assign(group, {
      subject: bytes(request).toString('utf8'),
      subjectBy: account,
      subjectAt: seconds(),
    })
  else if (tag === 'description') {
    const body = text(child(request, 'body'))
    group.description =
      attrs['delete'] === 'true' || !body
        ? undefined
        : { id: attrs['id'] ?? newInvite(), text: body, by: account, at: seconds() }
  } else if (tag === 'announcement' || tag === 'not_announcement')
    group.isAnnouncement = tag === 'announcement'
  else if (tag === 'locked' || tag === 'unlocked') group.isLocked = tag === 'locked'
  else if (tag === 'ephemeral') group.ephemeral = Number(attrs['expiration'] ?? 0)
  else if (tag === 'not_ephemeral') group.ephemeral = 0
  else throw refusal(400, 'bad-request')
}

function changeMember(
  state: NetworkState,
  device: Device,
  group: Group,
  tag: 'add' | 'remove' | 'promote' | 'demote',
  jid: string,
): Stanza {
  if (tag === 'add') {
    const [failed] = add(state, group, jid)
    if (failed) return failed
  }
  const member = state.directory.find(jid)
  if (!member || !group.members.has(member)) return el('participant', { jid, error: 404 })
  const told = new Set(group.members.keys())
  if (tag === 'remove') group.members.delete(member)
  else if (tag !== 'add') group.members.set(member, tag === 'promote' ? 'admin' : 'member')
  tell(state, group, device, el(tag, {}, [participant(member)]), told)
  return el('participant', { jid, phone_number: member.jid })
}

function leave(state: NetworkState, device: Device, group: Group): void {
  const told = new Set(group.members.keys())
  group.members.delete(device.account)
  tell(state, group, device, el('remove', { reason: 'leave' }, [participant(device.account)]), told)
}

function participant(account: AccountState): Stanza {
  return el('participant', { jid: account.lid, phone_number: account.jid })
}

/** To every device of every member but the one that acted. */
function tell(
  state: NetworkState,
  group: Group,
  by: Device,
  content: Stanza,
  members = group.members.keys() as Iterable<AccountState>,
): void {
  const { account } = by
  const attrs = {
    from: group.jid,
    participant: account.lid,
    participant_pn: account.jid,
    addressing_mode: 'lid',
    notify: account.name,
  }
  for (const member of members) {
    for (const device of member.devices.values()) {
      if (device !== by) state.delivery.notify(device, 'w:gp2', [content], attrs)
    }
  }
}
