import { randomBytes } from 'node:crypto'
import { optionHash } from '../../poll-options.ts'
import { el } from '../../stanza.ts'
import { type Action, type ActionParts, requireField } from './action.ts'
import { mex } from './mex.ts'

type ActionResult = Promise<Record<string, unknown>>

export async function createNewsletter({ uplink }: ActionParts, action: Action): ActionResult {
  const notice = el('notice', { id: '20601218', stage: 5 })
  await uplink.query(el('iq', { xmlns: 'tos', type: 'set', to: 's.whatsapp.net' }, [notice]))
  const input = { name: requireField(action, 'Text'), description: action.Data?.['Description'] ?? null }
  const made = await mex(uplink, '8823471724422422', { input }, 'xwa2_newsletter_create')
  return { JID: made['id'], Invite: (made['thread_metadata'] as { invite: string }).invite }
}

export async function followNewsletter({ uplink }: ActionParts, action: Action): ActionResult {
  await mex(
    uplink,
    '24404358912487870',
    { newsletter_id: requireField(action, 'Chat') },
    'xwa2_newsletter_join_v2',
  )
  return {}
}

export async function unfollowNewsletter({ uplink }: ActionParts, action: Action): ActionResult {
  await mex(
    uplink,
    '9767147403369991',
    { newsletter_id: requireField(action, 'Chat') },
    'xwa2_newsletter_leave_v2',
  )
  return {}
}

/** Mutes a newsletter, or unmutes it with `Data: { Mute: false }`. */
export async function muteNewsletter({ uplink }: ActionParts, action: Action): ActionResult {
  const [id, path] =
    action.Data?.['Mute'] === false
      ? ['9864994326891137', 'xwa2_newsletter_unmute_v2']
      : ['29766401636284406', 'xwa2_newsletter_mute_v2']
  await mex(uplink, id, { newsletter_id: requireField(action, 'Chat') }, path)
  return {}
}

export async function postNewsletter(parts: ActionParts, action: Action): ActionResult {
  const message = parts.wire.proto.Message.fromObject({ conversation: requireField(action, 'Text') })
  return { Id: await parts.sendMessage(requireField(action, 'Chat'), message) }
}

/** Accepts the invitation to administer the newsletter. */
export async function acceptAdmin({ uplink }: ActionParts, action: Action): ActionResult {
  const variables = { newsletter_id: requireField(action, 'Chat') }
  await mex(uplink, '9580828702035549', variables, 'xwa2_newsletter_admin_invite_accept')
  return {}
}

/** Invites `Participants[0]` to administer the own newsletter, with a message. */
export async function inviteAdmin(parts: ActionParts, action: Action): ActionResult {
  const newsletterJid = requireField(action, 'Chat')
  const [person = ''] = action.Participants ?? []
  const variables = { newsletter_id: newsletterJid, user_id: parts.network.account(person)?.lid }
  const made = await mex(parts.uplink, '9387141988078609', variables, 'xwa2_newsletter_admin_invite_create')
  const inviteExpiration = Number(made['invite_expiration_time'])
  const newsletterAdminInviteMessage = { newsletterJid, newsletterName: action.Text ?? '', inviteExpiration }
  const message = parts.wire.proto.Message.fromObject({ newsletterAdminInviteMessage })
  return { Id: await parts.sendMessage(parts.chatOf(person), message) }
}

/** Views the post with the server id `Id`. */
export function viewNewsletter({ uplink }: ActionParts, action: Action): Record<string, unknown> {
  const item = el('item', { server_id: requireField(action, 'Id') })
  const attrs = { to: requireField(action, 'Chat'), type: 'view', id: newId() }
  uplink.send(el('receipt', attrs, [el('list', {}, [item])]))
  return {}
}

/** Reacts with `Text` to the post with the server id `Id`. */
export function reactNewsletter({ uplink }: ActionParts, action: Action): Record<string, unknown> {
  const attrs = {
    to: requireField(action, 'Chat'),
    type: 'reaction',
    id: newId(),
    server_id: requireField(action, 'Id'),
  }
  uplink.send(el('message', attrs, [el('reaction', { code: requireField(action, 'Text') })]))
  return {}
}

/** Votes for `Data.Options` in the poll with the server id `Id`. */
export function voteNewsletter({ uplink }: ActionParts, action: Action): Record<string, unknown> {
  const attrs = {
    to: requireField(action, 'Chat'),
    type: 'poll',
    id: newId(),
    server_id: requireField(action, 'Id'),
  }
  const { Options = [] } = (action.Data ?? {}) as { Options?: string[] }
  const votes = Options.map((name) => el('vote', {}, optionHash(name)))
  uplink.send(el('message', attrs, [el('votes', {}, votes), el('meta', { polltype: 'vote' })]))
  return {}
}

function newId(): string {
  return randomBytes(8).toString('hex')
}
