import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { ask, type ContextInfo, child, children, Jid, node } from 'wamux/messaging'
import { gatewayError, type LiveSession, type Static, type Viewer } from 'wamux/plugin'
import { resolveChat, resolveUser, resolveUsers } from './target.ts'

export type ContextGiven = Static<typeof ContextInfo> | undefined

interface Context {
  contextInfo: proto.IContextInfo | undefined
  quoted: WAMessage | undefined
}

/** A request that may quote a message. */
interface Quoting {
  readonly session: LiveSession
  readonly viewer: Viewer
  readonly body: { ContextInfo?: ContextGiven; QuotedText?: string }
}

/**
 * Reads the quoted message from the store; if it is not stored in the chat or not visible to the viewer, uses the client's
 * content.
 */
export async function readContext({ session, viewer, body }: Quoting, to: string): Promise<Context> {
  const { ContextInfo: given, QuotedText: quotedText } = body
  if (!given) return { contextInfo: undefined, quoted: undefined }
  if (given.Chat && !given.StanzaId) throw gatewayError('FIELD_MISSING', ['ContextInfo.StanzaId'])
  const chat = given.Chat ? await resolveChat(session, given.Chat, 'ContextInfo.Chat') : to
  const isWithin = await isSameChat(session, chat, to)
  const hasAuthors = Jid.isGroup(chat) || Jid.isBroadcast(chat)
  if (given.Participant && !given.StanzaId) throw gatewayError('FIELD_MISSING', ['ContextInfo.StanzaId'])
  const stored = given.StanzaId
    ? await session.socket.message({ chat, id: given.StanzaId }, viewer)
    : undefined
  if (given.StanzaId && hasAuthors && !given.Participant && !stored) {
    throw gatewayError('FIELD_MISSING', ['ContextInfo.Participant'])
  }
  const mentioned = await mentionedIn(session, given, to)
  const author = given.Participant
    ? await resolveUser(session, given.Participant, 'ContextInfo.Participant')
    : chat
  const contextInfo: proto.IContextInfo = {
    ...(mentioned ? { mentionedJid: mentioned } : {}),
    ...(given.IsForwarded === undefined ? {} : { isForwarded: given.IsForwarded }),
    ...(given.ForwardingScore === undefined ? {} : { forwardingScore: given.ForwardingScore }),
    ...(given.Expiration === undefined ? {} : { expiration: given.Expiration }),
    ...(given.StanzaId && !stored
      ? { stanzaId: given.StanzaId, participant: author, quotedMessage: quotedOf(given, quotedText) }
      : {}),
    ...(given.StanzaId && !stored && !isWithin ? { remoteJid: chat } : {}),
  }
  return { contextInfo, quoted: stored && isWithin ? namedAs(to, stored) : stored }
}

/** Both JIDs may be of one person. */
async function isSameChat({ socket }: LiveSession, chat: string, other: string): Promise<boolean> {
  return chat === other || (await socket.knownAlt(chat)) === other
}

/**
 * The message with its chat named like that of the reply: Baileys compares the names (Utils/messages.js
 * generateWAMessageFromContent), and takes two forms of one JID for two chats. Apps show a reply that names a chat as one to a message
 * of another chat (zapo 1.1.0, whatsapp-rust proto_helpers.rs). The author keeps its form.
 */
function namedAs(chat: string, message: WAMessage): WAMessage {
  const { key, participant } = message
  const author = participant || key.participant || key.remoteJid || ''
  return { ...message, key: { ...key, remoteJid: chat }, participant: author }
}

async function mentionedIn(
  session: LiveSession,
  { MentionedJID, MentionAll }: NonNullable<ContextGiven>,
  to: string,
): Promise<string[] | undefined> {
  if (MentionAll && !Jid.isGroup(to))
    throw gatewayError('FIELD_INVALID', ['ContextInfo.MentionAll', 'needs a group'])
  const named = MentionedJID && (await resolveUsers(session, MentionedJID, 'ContextInfo.MentionedJID'))
  return MentionAll ? [...new Set([...(named ?? []), ...(await othersIn(session, to))])] : named
}

/** All members of a group but the account itself, as the group addresses them. */
async function othersIn({ socket, jid, lid }: LiveSession, group: string): Promise<string[]> {
  const content = node('query', { request: 'interactive' })
  const reply = await ask(socket, {
    xmlns: 'w:g2',
    to: group,
    content,
    verb: 'read the members of the group',
  })
  const members = children(child(reply, 'group'), 'participant').map(({ attrs }) => attrs['jid'] ?? '')
  return members.filter((member) => member !== '' && member !== jid && member !== lid)
}

function quotedOf(given: NonNullable<ContextGiven>, text: string | undefined): proto.IMessage {
  return (given.QuotedMessage as proto.IMessage | undefined) ?? { conversation: text ?? '' }
}
