import { randomBytes } from 'node:crypto'
import { child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type Action, type ActionParts, requireField } from './action.ts'

type ActionHandler = (parts: ActionParts, action: Action) => Promise<Record<string, unknown>>

/** Actions on groups. `Chat` is the group, `Text` the new text or code, `Participants` the affected accounts. */
export const groupActions: Readonly<Record<string, ActionHandler>> = {
  createGroup: (parts, action) => create(parts, action, [...newMembers(parts, action), ...parentOf(action)]),
  createCommunity: (parts, action) => create(parts, action, [el('parent')]),
  addToGroup: (parts, action) => changeGroup(parts, action, el('add', {}, newMembers(parts, action))),
  removeFromGroup: changeMembers('remove'),
  promote: changeMembers('promote'),
  demote: changeMembers('demote'),
  subject: (parts, action) =>
    changeGroup(parts, action, el('subject', {}, Buffer.from(requireField(action, 'Text')))),
  description,
  lock: (parts, action) => changeGroup(parts, action, el('locked')),
  unlock: (parts, action) => changeGroup(parts, action, el('unlocked')),
  announce: (parts, action) => changeGroup(parts, action, el('announcement')),
  ephemeral: (parts, action) =>
    changeGroup(parts, action, el('ephemeral', { expiration: Number(action.Data?.['Seconds']) })),
  approval: (parts, action) =>
    changeGroup(parts, action, el('membership_approval_mode', {}, [el('group_join', { state: 'on' })])),
  approve: decideRequests('approve'),
  reject: decideRequests('reject'),
  invite: (parts, action) => invite(parts, action, 'get'),
  resetInvite: (parts, action) => invite(parts, action, 'set'),
  groupPicture,
  groupPrivacy,
  joinGroup,
  inviteToGroup,
  revokeInvitation: changeMembers('revoke'),
  acceptInvite,
  leaveGroup,
  linkGroup: (parts, action) =>
    changeGroup(
      parts,
      action,
      el('links', {}, [el('link', { link_type: 'sub_group' }, [groupNode(action)])]),
    ),
  unlinkGroup: (parts, action) =>
    changeGroup(parts, action, el('unlink', { unlink_type: 'sub_group' }, [groupNode(action)])),
}

async function create(
  { uplink }: ActionParts,
  action: Action,
  content: Stanza[],
): Promise<Record<string, unknown>> {
  const attrs = { subject: requireField(action, 'Text'), key: randomBytes(8).toString('hex') }
  const reply = await uplink.query(iq('set', '@g.us', el('create', attrs, content)))
  return { JID: `${child(reply, 'group')?.attrs['id']}@g.us` }
}

/** The community of a new group: `Data.Parent`. */
function parentOf({ Data }: Action): Stanza[] {
  const jid = Data?.['Parent']
  return typeof jid === 'string' ? [el('linked_parent', { jid })] : []
}

function changeMembers(change: string): ActionHandler {
  return (parts, action) => changeGroup(parts, action, el(change, {}, participants(parts, action)))
}

function decideRequests(decision: string): ActionHandler {
  return (parts, action) =>
    changeGroup(
      parts,
      action,
      el('membership_requests_action', {}, [el(decision, {}, participants(parts, action))]),
    )
}

async function changeGroup(
  { uplink }: ActionParts,
  action: Action,
  change: Stanza,
): Promise<Record<string, unknown>> {
  await uplink.query(iq('set', requireField(action, 'Chat'), change))
  return {}
}

async function description(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const known = await parts.uplink.query(iq('get', requireField(action, 'Chat'), el('query')))
  const prev = child(child(known, 'group'), 'description')?.attrs['id']
  const body = el('body', {}, Buffer.from(requireField(action, 'Text')))
  return changeGroup(parts, action, el('description', { id: randomBytes(8).toString('hex'), prev }, [body]))
}

async function invite(
  { uplink }: ActionParts,
  action: Action,
  type: string,
): Promise<Record<string, unknown>> {
  const reply = await uplink.query(iq(type, requireField(action, 'Chat'), el('invite')))
  return { Code: child(reply, 'invite')?.attrs['code'] }
}

/** `Data.Image`: the picture in base64, sent unchanged. */
async function groupPicture({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const image = el('picture', { type: 'image' }, Buffer.from(String(action.Data?.['Image']), 'base64'))
  const attrs = {
    type: 'set',
    to: 's.whatsapp.net',
    xmlns: 'w:profile:picture',
    target: requireField(action, 'Chat'),
  }
  await uplink.query(el('iq', attrs, [image]))
  return {}
}

/** Who may add this account to groups; `Text` is `all` or `none`. */
async function groupPrivacy({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const category = el('category', { name: 'groupadd', value: requireField(action, 'Text') })
  const attrs = { type: 'set', to: 's.whatsapp.net', xmlns: 'privacy' }
  await uplink.query(el('iq', attrs, [el('privacy', {}, [category])]))
  return {}
}

async function joinGroup({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const reply = await uplink.query(iq('set', '@g.us', el('invite', { code: requireField(action, 'Text') })))
  const entered = child(reply, 'group') ?? child(reply, 'membership_approval_request')
  return { JID: entered?.attrs['jid'] }
}

/**
 * Adds `Participants`, and sends an invitation to those whose privacy settings prevent it, as the apps offer; `Invitations` has the
 * ids of these messages and their codes.
 */
async function inviteToGroup(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const groupJid = requireField(action, 'Chat')
  const reply = await parts.uplink.query(iq('set', groupJid, el('add', {}, newMembers(parts, action))))
  const Invitations: Record<string, unknown>[] = []
  for (const person of children(child(reply, 'add'), 'participant')) {
    const { code, expiration } = child(person, 'add_request')?.attrs ?? {}
    if (!code) continue
    const groupInviteMessage = {
      groupJid,
      groupName: action.Text ?? '',
      inviteCode: code,
      inviteExpiration: Number(expiration),
    }
    const message = parts.wire.proto.Message.fromObject({ groupInviteMessage })
    const Id = await parts.sendMessage(parts.chatOf(person.attrs['jid'] ?? ''), message)
    Invitations.push({ Id, Code: code })
  }
  return { Invitations }
}

/** Joins `Chat` by the code `Text` of an invitation, which the first of the `Participants` has sent. */
function acceptInvite(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const [inviter = ''] = action.Participants ?? []
  const admin = parts.network.account(inviter)?.lid ?? inviter
  return changeGroup(
    parts,
    action,
    el('accept', { code: requireField(action, 'Text'), expiration: 0, admin }),
  )
}

async function leaveGroup({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  await uplink.query(iq('set', '@g.us', el('leave', {}, [el('group', { id: requireField(action, 'Chat') })])))
  return {}
}

/** `Text` is the group, `Chat` the community. */
function groupNode(action: Action): Stanza {
  return el('group', { jid: requireField(action, 'Text') })
}

function participants({ network }: ActionParts, { Participants = [] }: Action): Stanza[] {
  return Participants.map((who) => el('participant', { jid: network.account(who)?.lid ?? who }))
}

/** With the tokens that they have given to the account. */
function newMembers(parts: ActionParts, action: Action): Stanza[] {
  return participants(parts, action).map(({ attrs }) =>
    el('participant', attrs, parts.tokens.privacyOf(attrs['jid'] ?? '')),
  )
}

function iq(type: string, to: string, request: Stanza): Stanza {
  return el('iq', { xmlns: 'w:g2', type, to }, [request])
}
