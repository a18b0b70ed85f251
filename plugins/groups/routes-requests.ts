import { child, children, Done } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type LiveSession, type RouteBuilder, T } from 'wamux/plugin'
import { participantOf, timeOf } from './info.ts'
import { queryGroup } from './query.ts'
import { GroupJID, JoinRequest, Outcomes, type Participant, People } from './schemas.ts'
import { outcomeOf, setting } from './update.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets'>

const Requests = T.Object({ Requests: T.Array(JoinRequest) })

/** Who may join and who may add others: join requests, and the two settings that decide about them. */
export const requestRoutes = <D extends Deps>(r: RouteBuilder<D>) => {
  const decide = (decision: 'approve' | 'reject', effect: string, done: string) =>
    r.post(`/group/requests/${decision}`, {
      leaves: ['group'],
      isDestructive: decision === 'reject',
      summary: `${decision === 'approve' ? 'Approve' : 'Reject'} join requests`,
      description: `${effect} Only for admins, and only for the people named. The answer has the outcome for each; 404 in \`Error\`: has not asked.`,
      example: { GroupJID: '120363049876543210@g.us', ParticipantJID: ['5511988888888'] },
      body: T.Object({ GroupJID, ParticipantJID: People('The people who asked', ['Participants', 'Phone']) }),
      response: Outcomes,
      async handle({ session, body }, { targets }) {
        const people = await targets.resolveUsers(session, body.ParticipantJID, 'ParticipantJID')
        const group = targets.toGroup(body.GroupJID)
        return outcomeOf(await decideRequests(session, group, decision, people), done)
      },
    })

  return [
    r.get('/group/requests', {
      summary: 'List the people who ask to join a group',
      description: 'Only for admins; empty where nobody must approve new members.',
      example: { GroupJID: '120363049876543210@g.us' },
      body: T.Object({ GroupJID }),
      response: Requests,
      handle: async ({ session, body }, { targets }) => ({
        Requests: await joinRequests(session, targets.toGroup(body.GroupJID)),
      }),
    }),
    decide('approve', 'They become members.', 'Join requests approved'),
    decide('reject', 'They may ask again.', 'Join requests rejected'),
    r.post('/group/approval', {
      leaves: ['group'],
      isIdempotent: true,
      summary: 'Require the approval of an admin to join by the invite link, or not',
      description: 'Only admins may do that. Approve with `POST /group/requests/approve`.',
      example: { GroupJID: '120363041234567890@g.us', Approval: true },
      body: T.Object({ GroupJID, Approval: T.Boolean() }),
      response: Done,
      handle: async ({ session, body }, { targets }) => {
        const join = { tag: 'group_join', attrs: { state: body.Approval ? 'on' : 'off' } }
        const change = { tag: 'membership_approval_mode' as const, content: [join] }
        await setting(session, targets.toGroup(body.GroupJID), change)
        return {
          Details: body.Approval ? 'Admins approve new members now' : 'Anyone with the link can join now',
        }
      },
    }),
    r.post('/group/memberadd', {
      leaves: ['group'],
      isIdempotent: true,
      summary: 'Let all members add others, or admins only',
      description: 'Only admins may do that.',
      example: { GroupJID: '120363041234567890@g.us', MemberAddMode: 'all_member_add' },
      body: T.Object({
        GroupJID,
        MemberAddMode: T.Enum(['admin_add', 'all_member_add'] as const, {
          aliases: ['Mode'],
          description: 'Who may add others, as in the answer of `POST /group/info`',
        }),
      }),
      response: Done,
      handle: async ({ session, body }, { targets }) => {
        const change = { tag: 'member_add_mode' as const, content: Buffer.from(body.MemberAddMode) }
        await setting(session, targets.toGroup(body.GroupJID), change)
        const who = body.MemberAddMode === 'admin_add' ? 'Only admins' : 'All members'
        return { Details: `${who} can add others now` }
      },
    }),
  ]
}

/** The people who ask to join; only for admins. */
async function joinRequests(session: LiveSession, group: string): Promise<JoinRequest[]> {
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
async function decideRequests(
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
