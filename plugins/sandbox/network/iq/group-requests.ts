import { children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../accounts.ts'
import { tellAdmins } from '../group-news.ts'
import { participantNode } from '../group-node.ts'
import { type Group, needAdmin } from '../groups.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { join } from './group-entry.ts'

/** Who asks to be let in. */
export function requestsOf(group: Group, account: AccountState): Stanza[] {
  needAdmin(group, account)
  const requests = [...group.requests].map(([{ lid, jid }, since]) =>
    el('membership_approval_request', { jid: lid, phone_number: jid, request_time: since }),
  )
  return [el('membership_approval_requests', {}, requests)]
}

/** Lets them in, or not. */
export function decideRequests(state: NetworkState, device: Device, group: Group, request: Stanza): Stanza[] {
  needAdmin(group, device.account)
  const [decision] = children(request)
  if (decision?.tag !== 'approve' && decision?.tag !== 'reject') throw refusal(400, 'bad-request')
  const results = children(decision, 'participant').map(({ attrs }) => {
    const account = state.directory.find(attrs['jid'] ?? '')
    if (!account || !group.requests.delete(account))
      return el('participant', { jid: attrs['jid'], error: 404 })
    if (decision.tag === 'approve') join(state, device, group, [account])
    else tellAdmins(state, group, device, el('revoked_membership_requests', {}, [participantNode(account)]))
    return el('participant', { jid: account.lid, phone_number: account.jid })
  })
  return [el('membership_requests_action', {}, [el(decision.tag, {}, results)])]
}
