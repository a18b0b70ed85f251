import { randomBytes } from 'node:crypto'
import { children, el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type AccountState, type Device, shownJid } from '../directory/accounts.ts'
import { maySee } from '../directory/privacy.ts'
import { isTrusted } from '../directory/tokens.ts'
import type { NetworkState } from '../state.ts'
import { assertAdmin, type Group, isAdmin } from './groups.ts'
import { addMembers } from './join.ts'
import { participantNode } from './node.ts'
import { nextVersions, notifyMembers } from './notify.ts'

export const MEMBER_CHANGES: ReadonlySet<string> = new Set(['add', 'remove', 'promote', 'demote'])

const INVITATION_SECONDS = 72 * 3600

/** Adds, removes, promotes or demotes members, with a result for each. */
export function changeMembers(state: NetworkState, device: Device, group: Group, request: Stanza): Stanza[] {
  const { tag } = request
  const named = children(request, 'participant')
  if (tag !== 'add' || group.addMode === 'admin_add') assertAdmin(group, device.account)
  if (tag === 'add') {
    const { failed, joined } = checkAdditions(state, device.account, group, named)
    addMembers(state, device, group, joined)
    return [el('add', {}, [...joined.map((account) => participantNode(account)), ...failed])]
  }
  return [
    el(
      tag,
      {},
      named.map(({ attrs }) => changeMember(state, device, group, tag, attrs['jid'] ?? '')),
    ),
  ]
}

/** The accounts that may be added, and a participant node with an error code for each of the others. */
export function checkAdditions(
  state: NetworkState,
  admin: AccountState,
  group: Group,
  named: readonly Stanza[],
): { joined: AccountState[]; failed: Stanza[] } {
  const joined = new Set<AccountState>()
  const failed: Stanza[] = []
  for (const participant of named) {
    const { jid = '' } = participant.attrs
    const account = state.directory.find(jid)
    const isKnown = account !== undefined && isTrusted(state, account, admin, participant, 'privacy')
    const code = errorOf(group, admin, account, isKnown)
    if (!code && account) joined.add(account)
    else if (account !== admin) failed.push(failedParticipant(group, admin, jid, account, code))
  }
  return { joined: [...joined], failed }
}

function errorOf(
  group: Group,
  admin: AccountState,
  account: AccountState | undefined,
  isTrusted: boolean,
): number | undefined {
  if (!account) return 404
  if (group.members.has(account)) return 409
  if (account.blocked.has(admin.lid)) return 401
  if (!maySee(account, admin, 'groupadd', isTrusted)) return 403
  return group.left.has(account) ? 408 : undefined
}

/** If privacy settings prevent adding an account, the node carries an invitation code for it. */
function failedParticipant(
  group: Group,
  admin: AccountState,
  jid: string,
  account: AccountState | undefined,
  error: number | undefined,
): Stanza {
  const attrs = { jid: account?.lid ?? jid, phone_number: account && shownJid(account), error }
  if (error !== 403 || !account) return el('participant', attrs)
  const code = randomBytes(12).toString('base64url')
  const expiration = seconds() + INVITATION_SECONDS
  group.invitations.set(code, { account, admin, expiration })
  return el('participant', attrs, [el('add_request', { code, expiration })])
}

function changeMember(state: NetworkState, device: Device, group: Group, tag: string, jid: string): Stanza {
  const member = state.directory.find(jid)
  const role = member && group.members.get(member)
  if (!member || !role) return el('participant', { jid, error: 404 })
  const isOwner = role === 'superadmin' && tag !== 'promote'
  if (isOwner) return el('participant', { jid: member.lid, phone_number: shownJid(member), error: 403 })
  const notified = [...group.members.keys()]
  if (tag === 'remove') group.members.delete(member)
  else if (!isAdmin(group, member) || tag === 'demote')
    group.members.set(member, tag === 'promote' ? 'admin' : 'member')
  notifyMembers(state, group, device, el(tag, nextVersions(group), [participantNode(member)]), notified)
  return participantNode(member)
}
