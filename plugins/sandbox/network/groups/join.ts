import { children, el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type AccountState, type Device, shownJid } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { assertAdmin, type Group } from './groups.ts'
import { groupNode, participantNode } from './node.ts'
import { nextVersions, notifyAdmins, notifyMembers } from './notify.ts'

/** Adds accounts to the group and to its community. New members get the whole group, the others the list of new members. */
export function addMembers(
  state: NetworkState,
  actor: Device,
  group: Group,
  accounts: readonly AccountState[],
  createAttrs: { type?: string; reason?: string } = {},
): void {
  const { parent } = group
  const community = parent
    ? [parent, ...state.groups.subgroups(parent).filter(({ isDefault }) => isDefault)]
    : []
  for (const entered of new Set([group, ...community])) {
    const previous = [...entered.members.keys()]
    const added = accounts.filter((account) => !entered.members.has(account))
    if (added.length === 0) continue
    for (const account of added) {
      entered.members.set(account, 'member')
      entered.left.delete(account)
      entered.requests.delete(account)
    }
    const participants = added.map((account) => participantNode(account))
    notifyMembers(
      state,
      entered,
      actor,
      el('add', { reason: createAttrs.reason, ...nextVersions(entered) }, participants),
      previous,
    )
    notifyMembers(state, entered, actor, el('create', createAttrs, [groupNode(entered)]), added)
  }
}

/** Returns the group of an invite code (get), or joins it (set). */
export function joinByInvite(state: NetworkState, device: Device, code: string, isGet: boolean): Stanza[] {
  const { account } = device
  const group = state.groups.byInvite(code)
  if (isGet) return [groupNode(group)]
  if (group.members.has(account)) throw refusal(409, 'conflict')
  if (group.needsApproval) {
    group.requests.set(account, seconds())
    const request = el('created_membership_requests', { request_method: 'invite_link' }, [
      el('requested_user', { jid: account.lid, phone_number: shownJid(account) }),
    ])
    notifyAdmins(state, group, device, request)
    return [el('membership_approval_request', { jid: group.jid })]
  }
  addMembers(state, device, group, [account], { reason: 'invite' })
  return [el('group', { jid: group.jid })]
}

/** Joins with an invitation issued for this account only, which names the admin that it is from [?]. */
export function acceptInvitation(
  state: NetworkState,
  device: Device,
  jid: string,
  { attrs }: Stanza,
): Stanza[] | undefined {
  const group = state.groups.find(jid)
  const invitation = group?.invitations.get(attrs['code'] ?? '')
  const isIssued = invitation?.admin === state.directory.find(attrs['admin'] ?? '')
  if (!group || !isIssued || invitation?.account !== device.account) throw refusal(404, 'item-not-found')
  if (invitation.expiration < seconds()) throw refusal(410, 'gone')
  group.invitations.delete(attrs['code'] ?? '')
  addMembers(state, device, group, [device.account], { reason: 'invite' })
  return undefined
}

/** Revokes the invitations issued for these accounts, with a result for each. */
export function revokeInvitations(
  state: NetworkState,
  device: Device,
  group: Group,
  request: Stanza,
): Stanza[] {
  assertAdmin(group, device.account)
  const results = children(request, 'participant').map(({ attrs }) => {
    const account = state.directory.find(attrs['jid'] ?? '')
    const codes = [...group.invitations].filter(([, invitation]) => invitation.account === account)
    for (const [code] of codes) group.invitations.delete(code)
    return el('participant', { jid: attrs['jid'], error: codes.length > 0 ? undefined : 404 })
  })
  return [el('revoke', {}, results)]
}
