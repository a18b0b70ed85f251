import { randomBytes } from 'node:crypto'
import { child, el } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import { type Action, type ActionParts, need } from './action.ts'

type Do = (parts: ActionParts, action: Action) => Promise<Record<string, unknown>>

/** What a person does with groups. `Chat` is the group, `Text` the new text or code, `Participants` who is meant. */
export const groupActions: Readonly<Record<string, Do>> = {
  createGroup: (parts, action) => create(parts, action, people(parts, action)),
  createCommunity: (parts, action) => create(parts, action, [el('parent')]),
  addToGroup: members('add'),
  removeFromGroup: members('remove'),
  promote: members('promote'),
  demote: members('demote'),
  subject: (parts, action) => set(parts, action, el('subject', {}, Buffer.from(need(action, 'Text')))),
  description,
  lock: (parts, action) => set(parts, action, el('locked')),
  unlock: (parts, action) => set(parts, action, el('unlocked')),
  announce: (parts, action) => set(parts, action, el('announcement')),
  ephemeral: (parts, action) =>
    set(parts, action, el('ephemeral', { expiration: Number(action.Data?.['Seconds']) })),
  approval: (parts, action) =>
    set(parts, action, el('membership_approval_mode', {}, [el('group_join', { state: 'on' })])),
  approve: decide('approve'),
  reject: decide('reject'),
  invite: (parts, action) => invite(parts, action, 'get'),
  resetInvite: (parts, action) => invite(parts, action, 'set'),
  groupPicture,
  groupPrivacy,
  joinGroup,
  acceptInvite: (parts, action) =>
    set(parts, action, el('accept', { code: need(action, 'Text'), expiration: 0, admin: parts.account.lid })),
  leaveGroup,
  linkGroup: (parts, action) =>
    set(parts, action, el('links', {}, [el('link', { link_type: 'sub_group' }, [linked(action)])])),
  unlinkGroup: (parts, action) =>
    set(parts, action, el('unlink', { unlink_type: 'sub_group' }, [linked(action)])),
}

async function create(
  { uplink }: ActionParts,
  action: Action,
  content: Stanza[],
): Promise<Record<string, unknown>> {
  const attrs = { subject: need(action, 'Text'), key: randomBytes(8).toString('hex') }
  const reply = await uplink.query(iq('set', '@g.us', el('create', attrs, content)))
  return { JID: `${child(reply, 'group')?.attrs['id']}@g.us` }
}

function members(change: string): Do {
  return (parts, action) => set(parts, action, el(change, {}, people(parts, action)))
}

function decide(decision: string): Do {
  return (parts, action) =>
    set(parts, action, el('membership_requests_action', {}, [el(decision, {}, people(parts, action))]))
}

async function set(
  { uplink }: ActionParts,
  action: Action,
  change: Stanza,
): Promise<Record<string, unknown>> {
  await uplink.query(iq('set', need(action, 'Chat'), change))
  return {}
}

async function description(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const known = await parts.uplink.query(iq('get', need(action, 'Chat'), el('query')))
  const prev = child(child(known, 'group'), 'description')?.attrs['id']
  const body = el('body', {}, Buffer.from(need(action, 'Text')))
  return set(parts, action, el('description', { id: randomBytes(8).toString('hex'), prev }, [body]))
}

async function invite(
  { uplink }: ActionParts,
  action: Action,
  type: string,
): Promise<Record<string, unknown>> {
  const reply = await uplink.query(iq(type, need(action, 'Chat'), el('invite')))
  return { Code: child(reply, 'invite')?.attrs['code'] }
}

/** `Data.Image`: the bytes in base64, sent as they are. */
async function groupPicture({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const image = el('picture', { type: 'image' }, Buffer.from(String(action.Data?.['Image']), 'base64'))
  const attrs = {
    type: 'set',
    to: 's.whatsapp.net',
    xmlns: 'w:profile:picture',
    target: need(action, 'Chat'),
  }
  await uplink.query(el('iq', attrs, [image]))
  return {}
}

/** `Text`: `all`, or `none` when nobody may add this account to groups. */
async function groupPrivacy({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const category = el('category', { name: 'groupadd', value: need(action, 'Text') })
  const attrs = { type: 'set', to: 's.whatsapp.net', xmlns: 'privacy' }
  await uplink.query(el('iq', attrs, [el('privacy', {}, [category])]))
  return {}
}

async function joinGroup({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const reply = await uplink.query(iq('set', '@g.us', el('invite', { code: need(action, 'Text') })))
  const entered = child(reply, 'group') ?? child(reply, 'membership_approval_request')
  return { JID: entered?.attrs['jid'] }
}

async function leaveGroup({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  await uplink.query(iq('set', '@g.us', el('leave', {}, [el('group', { id: need(action, 'Chat') })])))
  return {}
}

/** `Text` names the group, `Chat` the community. */
function linked(action: Action): Stanza {
  return el('group', { jid: need(action, 'Text') })
}

function people({ network }: ActionParts, { Participants = [] }: Action): Stanza[] {
  return Participants.map((who) => el('participant', { jid: network.account(who)?.lid ?? who }))
}

function iq(type: string, to: string, request: Stanza): Stanza {
  return el('iq', { xmlns: 'w:g2', type, to }, [request])
}
