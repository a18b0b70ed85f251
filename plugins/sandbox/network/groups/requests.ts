import { children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type AccountState, type Device, shownJid } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { assertAdmin, type Group } from './groups.ts'
import { addMembers } from './join.ts'
import { participantNode } from './node.ts'
import { notifyAdmins } from './notify.ts'

/** The pending join requests. */
export function requestsOf(group: Group, account: AccountState): Stanza[] {
  assertAdmin(group, account)
  const requests = [...group.requests].map(([account, since]) =>
    el('membership_approval_request', {
      jid: account.lid,
      phone_number: shownJid(account),
      request_time: since,
      request_method: 'invite_link',
    }),
  )
  return [el('membership_approval_requests', {}, requests)]
}

/** Approves or rejects join requests. */
export function decideRequests(state: NetworkState, device: Device, group: Group, request: Stanza): Stanza[] {
  assertAdmin(group, device.account)
  const [decision] = children(request)
  if (decision?.tag !== 'approve' && decision?.tag !== 'reject') throw refusal(400, 'bad-request')
  const named = children(decision, 'participant')
  if (named.length === 0) throw refusal(400, 'bad-request')
  const results = named.map(({ attrs }) => {
    const account = state.directory.find(attrs['jid'] ?? '')
    if (!account || !group.requests.delete(account))
      return el('participant', { jid: attrs['jid'], error: 404 })
    if (decision.tag === 'approve') addMembers(state, device, group, [account])
    else notifyAdmins(state, group, device, el('revoked_membership_requests', {}, [participantNode(account)]))
    return el('participant', { jid: account.lid, phone_number: shownJid(account) })
  })
  return [el('membership_requests_action', {}, [el(decision.tag, {}, results)])]
}
