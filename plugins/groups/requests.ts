import { child, children } from 'wamux/messaging'
import type { LiveSession } from 'wamux/plugin'
import { participantOf, timeOf } from './info.ts'
import { queryGroup } from './query.ts'
import type { JoinRequest, Participant } from './schemas.ts'

/** The people who ask to join; only for admins. */
export async function joinRequests(session: LiveSession, group: string): Promise<JoinRequest[]> {
  const tag = 'membership_approval_requests'
  const reply = await queryGroup(session, 'get', { tag, attrs: {} }, 'read the join requests', group)
  return children(child(reply, tag), 'membership_approval_request').map((node) => {
    const { JID, PhoneNumber, LID, Username } = participantOf(node)
    const { request_time, request_method: Method = '', requestor: RequestedBy = '' } = node.attrs
    const named = Username ? { Username } : {}
    return { JID, PhoneNumber, LID, ...named, RequestedAt: timeOf(request_time), Method, RequestedBy }
  })
}

/** Approves or rejects the requests of these people; returns the outcome for each of them. */
export async function decideRequests(
  session: LiveSession,
  group: string,
  decision: 'approve' | 'reject',
  people: readonly string[],
): Promise<Participant[]> {
  const pending = await joinRequests(session, group)
  // The network knows each request by one form of the JID.
  const jids = people.map(
    (jid) => pending.find(({ PhoneNumber, LID }) => jid === PhoneNumber || jid === LID)?.JID ?? jid,
  )
  const participants = [...new Set(jids)].map((jid) => ({ tag: 'participant', attrs: { jid } }))
  const tag = 'membership_requests_action'
  const content = [{ tag: decision, attrs: {}, content: participants }]
  const reply = await queryGroup(session, 'set', { tag, attrs: {}, content }, `${decision} requests`, group)
  return children(child(child(reply, tag), decision), 'participant').map(participantOf)
}
