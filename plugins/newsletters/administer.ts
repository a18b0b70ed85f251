import { Jid } from 'wamux/messaging'
import type { LiveSession } from 'wamux/plugin'
import { gatewayError } from 'wamux/plugin'
import { mex, refusal } from './mex.ts'

export const setPicture = (session: LiveSession, id: string, jpeg: Buffer) =>
  updatePicture(session, id, jpeg.toString('base64'))

export const removePicture = (session: LiveSession, id: string) => updatePicture(session, id, '')

async function updatePicture(session: LiveSession, id: string, picture: string): Promise<void> {
  const variables = { newsletter_id: id, updates: { picture, settings: null } }
  await mex(session, 'update', variables, 'change the picture')
}

/** Invites a person to administer the newsletter; resolves with the end of the invitation, Unix seconds. */
export async function inviteAdmin(session: LiveSession, id: string, person: string): Promise<number> {
  const variables = await variablesOf(session, id, person)
  const made = await mex(session, 'inviteAdmin', variables, 'invite the admin')
  return Number((made as { invite_expiration_time?: string }).invite_expiration_time ?? 0)
}

/** A query about one person and a newsletter. */
export async function aboutPerson(
  session: LiveSession,
  query: 'revokeInvite' | 'changeOwner' | 'demote',
  { id, person }: { id: string; person: string },
  verb: string,
): Promise<void> {
  await mex(session, query, await variablesOf(session, id, person), verb)
}

export async function acceptAdmin(session: LiveSession, id: string): Promise<void> {
  await mex(session, 'acceptInvite', { newsletter_id: id }, 'accept the invitation')
}

/** Newsletters name people by LID. */
async function variablesOf({ socket }: LiveSession, id: string, person: string): Promise<object> {
  const lid = Jid.isLid(person) ? person : await socket.altJid(person)
  return { newsletter_id: id, user_id: lid || person }
}

/** Reacts to a post, or with '' removes the reaction. A reaction to a post is not encrypted, and has no message id. */
export async function react(
  { socket }: LiveSession,
  id: string,
  { post, emoji }: { post: number; emoji: string },
): Promise<void> {
  const attrs = { to: id, type: 'reaction', server_id: String(post), ...(emoji ? {} : { edit: '7' }) }
  const content = [{ tag: 'reaction', attrs: emoji ? { code: emoji } : {} }]
  const ack = await socket.query({ tag: 'message', attrs, content }, 'react to the post')
  const { error } = ack.attrs
  if (error === '404') throw gatewayError('MESSAGE_UNKNOWN')
  if (error)
    throw refusal({ code: Number(error), reason: 'not allowed in this newsletter' }, 'react to the post')
}
