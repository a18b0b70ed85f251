import { randomBytes } from 'node:crypto'
import { children, el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../accounts.ts'
import { tell, versions } from '../group-news.ts'
import { participantNode } from '../group-node.ts'
import { type Group, isAdmin, needAdmin } from '../groups.ts'
import type { NetworkState } from '../state.ts'
import { join } from './group-entry.ts'

export const MEMBER_CHANGES: ReadonlySet<string> = new Set(['add', 'remove', 'promote', 'demote'])

const INVITATION_SECONDS = 72 * 3600

/** Adds, removes, promotes or demotes; each one named has a result of its own. */
export function change(state: NetworkState, device: Device, group: Group, request: Stanza): Stanza[] {
  const { tag } = request
  const named = children(request, 'participant')
  if (tag !== 'add' || group.addMode === 'admin_add') needAdmin(group, device.account)
  if (tag === 'add') {
    const { failed, joined } = add(state, device.account, group, named)
    join(state, device, group, joined)
    return [el('add', {}, [...joined.map((account) => participantNode(account)), ...failed])]
  }
  return [
    el(
      tag,
      {},
      named.map(({ attrs }) => changeOne(state, device, group, tag, attrs['jid'] ?? '')),
    ),
  ]
}

/** Who may be added, and for each of the others a participant with the error, as the network codes it. */
export function add(
  state: NetworkState,
  admin: AccountState,
  group: Group,
  named: readonly Stanza[],
): { joined: AccountState[]; failed: Stanza[] } {
  const joined = new Set<AccountState>()
  const failed: Stanza[] = []
  for (const { attrs } of named) {
    const { jid = '' } = attrs
    const account = state.directory.find(jid)
    const code = errorOf(group, admin, account)
    if (!code && account) joined.add(account)
    else if (account !== admin) failed.push(failure(group, jid, account, code))
  }
  return { joined: [...joined], failed }
}

function errorOf(group: Group, admin: AccountState, account: AccountState | undefined): number | undefined {
  if (!account) return 404
  if (group.members.has(account)) return 409
  if (account.blocked.has(admin.lid)) return 401
  if (account.privacy.get('groupadd') === 'none') return 403
  return group.left.has(account) ? 408 : undefined
}

/** One whose privacy forbids it can still be invited: the answer brings a code to send along. */
function failure(
  group: Group,
  jid: string,
  account: AccountState | undefined,
  error: number | undefined,
): Stanza {
  const attrs = { jid: account?.lid ?? jid, phone_number: account?.jid, error }
  if (error !== 403 || !account) return el('participant', attrs)
  const code = randomBytes(12).toString('base64url')
  const expiration = seconds() + INVITATION_SECONDS
  group.invitations.set(code, { account, expiration })
  return el('participant', attrs, [el('add_request', { code, expiration })])
}

function changeOne(state: NetworkState, device: Device, group: Group, tag: string, jid: string): Stanza {
  const member = state.directory.find(jid)
  const role = member && group.members.get(member)
  if (!member || !role) return el('participant', { jid, error: 404 })
  const isOwner = role === 'superadmin' && tag !== 'promote'
  if (isOwner) return el('participant', { jid: member.lid, phone_number: member.jid, error: 403 })
  const told = [...group.members.keys()]
  if (tag === 'remove') group.members.delete(member)
  else if (!isAdmin(group, member) || tag === 'demote')
    group.members.set(member, tag === 'promote' ? 'admin' : 'member')
  tell(state, group, device, el(tag, versions(group), [participantNode(member)]), told)
  return participantNode(member)
}
