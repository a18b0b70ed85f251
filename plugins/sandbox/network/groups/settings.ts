import { randomInt } from 'node:crypto'
import { child, children, el, seconds, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type Device, shownJid } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { assertAdmin, assertEditor, type Group, isAdmin, newInvite, validSubject } from './groups.ts'
import { ephemeralNode } from './node.ts'
import { notifyMembers, notifyPicture } from './notify.ts'

const MAX_DESCRIPTION = 2048
/** `DisappearingMode.Trigger` */
const CHAT_SETTING = 1
const MAX_PICTURE_BYTES = 200_000

/** Changes one setting. Throws 400 for an unknown one. */
export function changeSetting(state: NetworkState, device: Device, group: Group, request: Stanza): undefined {
  const { account } = device
  const { tag, attrs } = request
  if (tag === 'subject' || tag === 'ephemeral' || tag === 'not_ephemeral') assertEditor(group, account)
  else assertAdmin(group, account)
  let notification = request
  if (tag === 'subject') {
    const subject = validSubject(text(request))
    Object.assign(group, { subject, subjectBy: account, subjectAt: seconds() })
    notification = el('subject', {
      subject,
      s_t: group.subjectAt,
      s_o: account.lid,
      s_o_pn: shownJid(account),
    })
  } else if (tag === 'announcement' || tag === 'not_announcement') {
    group.isAnnouncement = tag === 'announcement'
    notification = el(tag, { v_id: seconds() })
  } else if (tag === 'locked' || tag === 'unlocked') group.isLocked = tag === 'locked'
  else if (tag === 'ephemeral') {
    group.ephemeral = Number(attrs['expiration'] ?? 0)
    group.ephemeralTrigger = Number(attrs['trigger'] ?? CHAT_SETTING)
    notification = ephemeralNode(group)
  } else if (tag === 'not_ephemeral') group.ephemeral = 0
  else if (tag === 'member_add_mode') group.addMode = addModeOf(text(request))
  else if (tag === 'membership_approval_mode') group.needsApproval = isApprovalOn(request)
  else throw refusal(400, 'bad-request')
  notifyMembers(state, group, device, notification)
  return undefined
}

function addModeOf(mode: string): Group['addMode'] {
  if (mode !== 'admin_add' && mode !== 'all_member_add') throw refusal(400, 'bad-request')
  return mode
}

function isApprovalOn(request: Stanza): boolean {
  const state = child(request, 'group_join')?.attrs['state']
  if (state !== 'on' && state !== 'off') throw refusal(400, 'bad-request')
  return state === 'on'
}

/** A description names the id of its predecessor, so concurrent changes conflict (409). */
export function changeDescription(
  state: NetworkState,
  device: Device,
  group: Group,
  request: Stanza,
): undefined {
  const { account } = device
  const { id, prev } = request.attrs
  assertEditor(group, account)
  if (prev !== group.description?.id) throw refusal(409, 'conflict')
  const body = text(child(request, 'body'))
  if (body.length > MAX_DESCRIPTION) throw refusal(406, 'not-acceptable')
  const isDeleted = request.attrs['delete'] === 'true'
  if (!isDeleted && (!id || !body)) throw refusal(400, 'bad-request')
  group.description = isDeleted ? undefined : { id: id ?? '', text: body, by: account, at: seconds() }
  notifyMembers(
    state,
    group,
    device,
    el('description', { id }, isDeleted ? [el('delete')] : children(request)),
  )
  return undefined
}

/** Returns the invite code (get), or resets it (set). */
export function inviteLink(state: NetworkState, device: Device, group: Group, isGet: boolean): Stanza[] {
  if (!isAdmin(group, device.account)) throw refusal(401, 'not-authorized')
  if (!isGet) {
    group.revoked.add(group.invite)
    group.invite = newInvite()
    notifyMembers(state, group, device, el('invite', { code: group.invite }))
  }
  return [el('invite', { code: group.invite })]
}

/** Sets the picture (JPEG only); removes it if there is no data. */
export function setGroupPicture(state: NetworkState, device: Device, jid: string, data: Buffer): Stanza[] {
  const { account } = device
  const group = state.groups.get(jid, account)
  assertEditor(group, account)
  const isJpeg = data[0] === 0xff && data[1] === 0xd8
  if (data.length > MAX_PICTURE_BYTES || (data.length > 0 && !isJpeg)) throw refusal(406, 'not-acceptable')
  group.picture = data.length > 0 ? { id: String(randomInt(1e9)), data } : undefined
  const attrs = { id: group.picture?.id, author: account.lid, jid }
  notifyPicture(state, group, el(group.picture ? 'set' : 'delete', attrs))
  return [el('picture', { id: group.picture?.id })]
}
