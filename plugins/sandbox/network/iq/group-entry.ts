import { el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../accounts.ts'
import { tell, tellAdmins, versions } from '../group-news.ts'
import { groupNode, participantNode } from '../group-node.ts'
import type { Group } from '../groups.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'

/**
 * Makes accounts members, of the group's community too. Who comes in gets the whole group, the others hear who
 * came.
 */
export function join(
  state: NetworkState,
  by: Device,
  group: Group,
  accounts: readonly AccountState[],
  how: { type?: string; reason?: string } = {},
): void {
  const { parent } = group
  const community = parent
    ? [parent, ...state.groups.within(parent).filter(({ isDefault }) => isDefault)]
    : []
  for (const entered of new Set([group, ...community])) {
    const old = [...entered.members.keys()]
    const fresh = accounts.filter((account) => !entered.members.has(account))
    if (fresh.length === 0) continue
    for (const account of fresh) {
      entered.members.set(account, 'member')
      entered.left.delete(account)
      entered.requests.delete(account)
    }
    const came = fresh.map((account) => participantNode(account))
    tell(state, entered, by, el('add', { reason: how.reason, ...versions(entered) }, came), old)
    tell(state, entered, by, el('create', how, [groupNode(entered)]), fresh)
  }
}

/** What an invite code shows (get), or entering with it (set). */
export function withInvite(state: NetworkState, device: Device, code: string, isGet: boolean): Stanza[] {
  const { account } = device
  const group = state.groups.byInvite(code)
  if (isGet) return [groupNode(group)]
  if (group.members.has(account)) throw refusal(409, 'conflict')
  if (group.isApproved) {
    group.requests.set(account, seconds())
    const request = el('created_membership_requests', { request_method: 'invite_link' }, [
      el('requested_user', { jid: account.lid, phone_number: account.jid }),
    ])
    tellAdmins(state, group, device, request)
    return [el('membership_approval_request', { jid: group.jid })]
  }
  join(state, device, group, [account], { reason: 'invite' })
  return [el('group', { jid: group.jid })]
}

/** Enters by an invitation that was sent to this account alone. */
export function accept(
  state: NetworkState,
  device: Device,
  jid: string,
  { attrs }: Stanza,
): Stanza[] | undefined {
  const group = state.groups.find(jid)
  const invitation = group?.invitations.get(attrs['code'] ?? '')
  if (!group || invitation?.account !== device.account) throw refusal(404, 'item-not-found')
  if (invitation.expiration < seconds()) throw refusal(410, 'gone')
  group.invitations.delete(attrs['code'] ?? '')
  join(state, device, group, [device.account], { reason: 'invite' })
  return undefined
}
