import { randomInt } from 'node:crypto'
import { child, children, el, seconds, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../accounts.ts'
import { tell, tellPicture } from '../group-news.ts'
import { checkedSubject, type Group, isAdmin, needAdmin, needEditor, newInvite } from '../groups.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'

const DESCRIPTION_MOST = 2048
const PICTURE_MOST = 200_000

/** Changes one setting. Throws 400 for one that doesn't exist. */
export function set(state: NetworkState, device: Device, group: Group, request: Stanza): undefined {
  const { account } = device
  const { tag, attrs } = request
  if (tag === 'subject' || tag === 'ephemeral' || tag === 'not_ephemeral') needEditor(group, account)
  else needAdmin(group, account)
  let news = request
  if (tag === 'subject') {
    const subject = checkedSubject(text(request))
    Object.assign(group, { subject, subjectBy: account, subjectAt: seconds() })
    news = el('subject', { subject, s_t: group.subjectAt, s_o: account.lid, s_o_pn: account.jid })
  } else if (tag === 'announcement' || tag === 'not_announcement') {
    group.isAnnouncement = tag === 'announcement'
    news = el(tag, { v_id: seconds() })
  } else if (tag === 'locked' || tag === 'unlocked') group.isLocked = tag === 'locked'
  else if (tag === 'ephemeral') group.ephemeral = Number(attrs['expiration'] ?? 0)
  else if (tag === 'not_ephemeral') group.ephemeral = 0
  else if (tag === 'member_add_mode')
    group.addMode = text(request) === 'all_member_add' ? 'all_member_add' : 'admin_add'
  else if (tag === 'membership_approval_mode')
    group.isApproved = child(request, 'group_join')?.attrs['state'] === 'on'
  else throw refusal(400, 'bad-request')
  tell(state, group, device, news)
  return undefined
}

/** A description names the one that it replaces: two people who write at once don't overwrite each other. */
export function describe(state: NetworkState, device: Device, group: Group, request: Stanza): undefined {
  const { account } = device
  const { id, prev } = request.attrs
  needEditor(group, account)
  if (prev !== group.description?.id) throw refusal(409, 'conflict')
  const body = text(child(request, 'body'))
  if (body.length > DESCRIPTION_MOST) throw refusal(406, 'not-acceptable')
  const isDeleted = request.attrs['delete'] === 'true'
  if (!isDeleted && (!id || !body)) throw refusal(400, 'bad-request')
  group.description = isDeleted ? undefined : { id: id ?? '', text: body, by: account, at: seconds() }
  tell(state, group, device, el('description', { id }, isDeleted ? [el('delete')] : children(request)))
  return undefined
}

/** The invite code (get), or a new one (set). */
export function inviteOf(state: NetworkState, device: Device, group: Group, isGet: boolean): Stanza[] {
  if (!isAdmin(group, device.account)) throw refusal(401, 'not-authorized')
  if (!isGet) {
    group.revoked.add(group.invite)
    group.invite = newInvite()
    tell(state, group, device, el('invite', { code: group.invite }))
  }
  return [el('invite', { code: group.invite })]
}

/** Sets or, without data, removes the picture: JPEG only. */
export function setGroupPicture(state: NetworkState, device: Device, jid: string, data: Buffer): Stanza[] {
  const { account } = device
  const group = state.groups.get(jid, account)
  needEditor(group, account)
  const isJpeg = data[0] === 0xff && data[1] === 0xd8
  if (data.length > PICTURE_MOST || (data.length > 0 && !isJpeg)) throw refusal(406, 'not-acceptable')
  group.picture = data.length > 0 ? { id: String(randomInt(1e9)), data } : undefined
  const attrs = { id: group.picture?.id, author: account.lid, jid }
  tellPicture(state, group, el(group.picture ? 'set' : 'delete', attrs))
  return [el('picture', { id: group.picture?.id })]
}
