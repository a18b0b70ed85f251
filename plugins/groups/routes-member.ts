import { Done, leaveGroup } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { inviteCode, inviteLink, joinGroup, listGroups, listOwnGroups, readGroup } from './groups.ts'
import { Code, GroupInfo, GroupJID } from './schemas.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets'>

const List = T.Object({ Groups: T.Array(GroupInfo) })
/** Older clients of this family use GET, with the group in the query. */
const both = ['post', 'get'] as const

/** The routes of members: reading, inviting, joining, leaving. */
export const memberRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/group/list', {
    ignoresUnknown: true,
    summary: 'List the groups of the account',
    description: 'With subject, owner, settings and members of each.',
    response: List,
    handle: async ({ session }) => ({ Groups: await listGroups(session) }),
  }),
  r.get('/group/myall', {
    ignoresUnknown: true,
    summary: 'List the groups of which the account is owner or admin',
    description: 'Like `GET /group/list`, without groups in which the account is only a member.',
    response: List,
    handle: async ({ session }) => ({ Groups: await listOwnGroups(session) }),
  }),
  ...both.map((method) =>
    r[method]('/group/info', {
      ignoresUnknown: true,
      summary: 'Read a group with its members',
      description: 'Subject, description, settings, owner and members with their roles.',
      example: { GroupJID: '120363041234567890@g.us' },
      scope: 'read',
      body: T.Object({ GroupJID }),
      response: GroupInfo,
      handle: ({ session, body }, { targets }) => readGroup(session, targets.toGroup(body.GroupJID)),
    }),
  ),
  ...both.map((method) =>
    r[method]('/group/invitelink', {
      ignoresUnknown: true,
      leaves: ['group'],
      // A person with the link can join and read everything from then on.
      isSensitive: true,
      summary: 'Read or reset the invite link; admins only',
      description: '`Reset` creates a new link, and the old one stops working.',
      example: { GroupJID: '120363041234567890@g.us' },
      scope: 'manage',
      body: T.Object({
        GroupJID,
        Reset: T.Optional(T.Boolean({ description: 'Create a new link; the old one becomes invalid' })),
      }),
      response: T.Object({ InviteLink: T.String() }),
      handle: async ({ session, body }, { targets }) => ({
        InviteLink: await inviteLink(session, targets.toGroup(body.GroupJID), body.Reset ?? false),
      }),
    }),
  ),
  r.post('/group/join', {
    ignoresUnknown: true,
    leaves: ['group'],
    summary: 'Join by an invite',
    description:
      'The answer has the JID of the group. If an admin must approve, the account joins after the approval.',
    example: { Code: 'HfKQ5PmU3DmBDJvL0XzWrC' },
    chain: { saves: { joinedGroup: 'GroupJID' } },
    body: T.Object({ Code }),
    response: T.Object({ Details: T.String(), GroupJID: T.String() }),
    handle: async ({ session, body }) => {
      const { group, isMember } = await joinGroup(session, inviteCode(body.Code))
      const Details = isMember
        ? 'Group joined successfully'
        : 'Asked to join; an admin must approve the request'
      return { Details, GroupJID: group }
    },
  }),
  r.post('/group/leave', {
    ignoresUnknown: true,
    leaves: ['group'],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Leave a group, or a community with all of its groups',
    description: 'Its messages are kept.',
    example: { GroupId: '120363042222222222@g.us' },
    chain: { uses: { GroupId: 'joinedGroup' } },
    body: T.Object({ GroupId: T.String({ ...GroupJID, aliases: ['GroupJID'] }) }),
    response: Done,
    handle: async ({ session, body }, { targets }) => {
      await leaveGroup(session, targets.toGroup(body.GroupId))
      return { Details: 'Group left successfully' }
    },
  }),
]
