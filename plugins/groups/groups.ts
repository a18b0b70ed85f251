import { child, children } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'
import { groupOf } from './info.ts'
import { toInviteError } from './invitations.ts'
import { queryGroup } from './query.ts'
import type { GroupInfo, Participant } from './schemas.ts'

const LINK = 'https://chat.whatsapp.com/'

/** All groups of which the account is a member. */
export async function listGroups(session: LiveSession): Promise<GroupInfo[]> {
  const parts = ['participants', 'description'].map((tag) => ({ tag, attrs: {} }))
  const request = { tag: 'participating', attrs: {}, content: parts }
  const reply = await queryGroup(session, 'get', request, 'list the groups')
  return children(child(reply, 'groups'), 'group').map(groupOf)
}

/** The groups of which the account is owner or admin. */
export async function listOwnGroups(session: LiveSession): Promise<GroupInfo[]> {
  const groups = await listGroups(session)
  return groups.filter(({ Participants }) =>
    Participants.some((participant) => participant.IsAdmin && isMe(session, participant)),
  )
}

export async function readGroup(session: LiveSession, group: string): Promise<GroupInfo> {
  const request = { tag: 'query', attrs: { request: 'interactive' } }
  const reply = await queryGroup(session, 'get', request, 'read the group', group)
  const node = child(reply, 'group')
  if (!node) throw gatewayError('NETWORK_FAILED', ['read the group', 'the answer has no group'])
  return groupOf(node)
}

/** The invite link; `reset` creates a new one and invalidates the old one. */
export async function inviteLink(session: LiveSession, group: string, reset: boolean): Promise<string> {
  const request = { tag: 'invite', attrs: {} }
  const reply = await queryGroup(session, reset ? 'set' : 'get', request, 'read the invite link', group)
  return LINK + (child(reply, 'invite')?.attrs['code'] ?? '')
}

/** Joins by an invite; requests approval if the group requires it. */
export async function joinGroup(
  session: LiveSession,
  code: string,
): Promise<{ group: string; isMember: boolean }> {
  const request = { tag: 'invite', attrs: { code } }
  const reply = await queryGroup(session, 'set', request, 'join the group').catch(toInviteError)
  const joined = child(reply, 'group')
  const asked = child(reply, 'membership_approval_request')
  return { group: (joined ?? asked)?.attrs['jid'] ?? '', isMember: joined !== undefined }
}

/** `https://chat.whatsapp.com/<code>` or the bare code. */
export function inviteCode(text: string): string {
  const path = text.trim().replace(/^(https?:\/\/)?chat\.whatsapp\.com\/(invite\/)?/i, '')
  const [code = ''] = path.split(/[/?#]/, 1)
  if (!/^[\w-]{16,64}$/.test(code))
    throw gatewayError('FIELD_INVALID', ['Code', `"${text}" is neither an invite code nor a link`])
  return code
}

export function isMe({ jid, lid }: LiveSession, { PhoneNumber, LID }: Participant): boolean {
  return (PhoneNumber !== '' && PhoneNumber === jid) || (LID !== '' && LID === lid)
}
