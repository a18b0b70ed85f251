import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children, LENGTHS } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type LiveSession, type RouteBuilder, T } from 'wamux/plugin'
import { createCommunity } from './create.ts'
import { queryGroup } from './query.ts'
import { GroupInfo, Subject } from './schemas.ts'

const SUB_GROUP = 'sub_group'

/** Links groups to a community. */
async function linkGroups(session: LiveSession, community: string, groups: readonly string[]) {
  const link = { tag: 'link', attrs: { link_type: SUB_GROUP }, content: groups.map(named) }
  const request = { tag: 'links', attrs: {}, content: [link] }
  const reply = await queryGroup(session, 'set', request, 'link the groups', community)
  return groupResults(groups, child(child(reply, 'links'), 'link'))
}

/** Unlinks groups from a community. */
async function unlinkGroups(session: LiveSession, community: string, groups: readonly string[]) {
  const request = { tag: 'unlink', attrs: { unlink_type: SUB_GROUP }, content: groups.map(named) }
  const reply = await queryGroup(session, 'set', request, 'unlink the groups', community)
  return groupResults(groups, child(reply, 'unlink'))
}

function named(jid: string): BinaryNode {
  return { tag: 'group', attrs: { jid } }
}

/** The network may refuse single groups of an accepted request, which Baileys ignores (Socket/communities.js). */
function groupResults(groups: readonly string[], results: BinaryNode | undefined) {
  const codes = new Map(
    children(results, 'group').map(({ attrs }) => [attrs['jid'], Number(attrs['error'] ?? 0)]),
  )
  const errors = groups.map((JID) => ({ JID, Error: codes.get(JID) ?? 0 }))
  const jids = (isFailed: boolean): string[] =>
    errors.filter(({ Error: code }) => (code !== 0) === isFailed).map(({ JID }) => JID)
  return { success: jids(false), failed: jids(true), Groups: errors }
}

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets'>

const Groups = T.Object({
  CommunityJID: T.String({
    minLength: 1,
    maxLength: LENGTHS.id,
    names: 'group',
    description: 'JID of the community, or its bare id',
  }),
  GroupJID: T.Array(T.String({ minLength: 1, maxLength: LENGTHS.id, names: 'group' }), {
    minItems: 1,
    maxItems: 1024,
    aliases: ['GroupId'],
    description: 'JIDs of the groups, or their bare ids',
  }),
})
const GroupResults = T.Object({
  success: T.Array(T.String()),
  failed: T.Array(T.String()),
  Groups: T.Array(T.Object({ JID: T.String(), Error: T.Integer({ description: '0, or the error code' }) })),
})

/** Creating communities, linking and unlinking their groups. */
export const communityRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/community/create', {
    ignoresUnknown: true,
    leaves: ['group'],
    summary: 'Create a community; the network adds its announcement group',
    description: 'The account becomes its owner. Add groups with `POST /community/add`.',
    example: { CommunityName: 'Village' },
    body: T.Object({ CommunityName: Subject }),
    response: GroupInfo,
    handle: ({ session, body }) => createCommunity(session, body.CommunityName),
  }),
  r.post('/community/add', {
    ignoresUnknown: true,
    leaves: ['group'],
    isIdempotent: true,
    summary: 'Link groups to a community',
    description: 'The account must be an admin of both. The answer has the outcome for each group.',
    example: { CommunityJID: '120363047777777777@g.us', GroupJID: ['120363049876543210@g.us'] },
    body: Groups,
    response: GroupResults,
    handle: ({ session, body }, { targets }) =>
      linkGroups(session, targets.toGroup(body.CommunityJID), body.GroupJID.map(targets.toGroup)),
  }),
  r.post('/community/remove', {
    ignoresUnknown: true,
    leaves: ['group'],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Unlink groups from a community',
    description: 'The groups are kept, outside the community. The answer has the outcome for each group.',
    example: { CommunityJID: '120363047777777777@g.us', GroupJID: ['120363049876543210@g.us'] },
    body: Groups,
    response: GroupResults,
    handle: ({ session, body }, { targets }) =>
      unlinkGroups(session, targets.toGroup(body.CommunityJID), body.GroupJID.map(targets.toGroup)),
  }),
]
