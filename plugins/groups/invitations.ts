import type { proto } from '@whiskeysockets/baileys'
import { ask, child, children, networkCodeOf } from 'wamux/messaging'
import { gatewayError, type LiveSession, type Viewer } from 'wamux/plugin'
import { groupOf, participantOf } from './info.ts'
import { queryGroup } from './query.ts'
import type { GroupInfo, Participant } from './schemas.ts'

/** The group to which an invite link leads, as shown to people who are not members. */
export async function invitedGroup(session: LiveSession, code: string): Promise<GroupInfo> {
  const request = { tag: 'invite', attrs: { code } }
  const reply = await queryGroup(session, 'get', request, 'read the invite').catch(toInviteError)
  const node = child(reply, 'group')
  if (!node) throw gatewayError('NETWORK_FAILED', ['read the invite', 'the answer has no group'])
  return groupOf(node)
}

/** Joins the group of an invitation, a message that an admin has sent to this account; returns the group. */
export async function acceptInvitation(
  { session, viewer }: { session: LiveSession; viewer: Viewer },
  ref: { chat: string; id: string },
): Promise<string> {
  const stored = await session.socket.message(ref, viewer)
  if (!stored) throw gatewayError('MESSAGE_UNKNOWN')
  const invite = inviteIn(stored.message)
  if (!invite) throw gatewayError('FIELD_INVALID', ['Id', 'is not an invitation'])
  if (stored.key.fromMe) throw gatewayError('FIELD_INVALID', ['Id', 'is an invitation of your own'])
  const { groupJid, inviteCode, inviteExpiration } = invite
  if (!groupJid || !inviteCode) throw gatewayError('FIELD_INVALID', ['Id', 'has no invite code'])
  // A key that is limited to some chats must not open another one.
  if (!(await viewer.seesChat(session.id, groupJid))) throw gatewayError('ITEM_UNKNOWN', ['Invite'])
  const admin = stored.key.participant || stored.key.remoteJid || ref.chat
  const attrs = { code: inviteCode, expiration: String(inviteExpiration ?? 0), admin }
  const accept = { tag: 'accept', attrs }
  const question = {
    xmlns: 'w:g2',
    to: groupJid,
    content: accept,
    verb: 'accept the invitation',
    item: 'Invite',
  }
  await ask(session.socket, { ...question, type: 'set' }).catch(toInviteError)
  return groupJid
}

/** Revokes the invitations of people whom nobody could add; returns the outcome for each of them. */
export async function revokeInvitations(
  session: LiveSession,
  group: string,
  people: readonly string[],
): Promise<Participant[]> {
  const content = people.map((jid) => ({ tag: 'participant', attrs: { jid } }))
  const request = { tag: 'revoke', attrs: {}, content }
  const reply = await queryGroup(session, 'set', request, 'revoke the invitations', group)
  return children(child(reply, 'revoke'), 'participant').map(participantOf)
}

/** An invite that the network does not know, or no longer. */
export function toInviteError(error: unknown): never {
  const network = networkCodeOf(error)
  if (network === 404 || network === 406) throw gatewayError('ITEM_UNKNOWN', ['Invite'], { cause: error })
  if (network !== 410) throw error
  throw gatewayError('ITEM_UNKNOWN', ['Invite'], { cause: error, details: 'It was reset or has expired' })
}

/** Old clients wrap messages that disappear. */
function inviteIn(message: proto.IMessage | null | undefined) {
  return message?.groupInviteMessage ?? message?.ephemeralMessage?.message?.groupInviteMessage
}
