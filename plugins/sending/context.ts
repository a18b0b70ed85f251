import type { proto, WAMessage } from '@whiskeysockets/baileys'
import type { ContextInfo } from 'wamux/messaging'
import { gatewayError, type LiveSession, type Static } from 'wamux/plugin'
import { resolveUser, resolveUsers } from './target.ts'

export type ContextGiven = Static<typeof ContextInfo> | undefined

export interface Context {
  contextInfo: proto.IContextInfo | undefined
  quoted: WAMessage | undefined
}

/** Reads the quoted message from the store; if it is not stored, uses the content given by the client. */
export async function readContext(
  session: LiveSession,
  chat: string,
  given: ContextGiven,
  quotedText?: string,
): Promise<Context> {
  if (!given) return { contextInfo: undefined, quoted: undefined }
  const isGroup = chat.endsWith('@g.us')
  if (given.Participant && !given.StanzaId) throw gatewayError('FIELD_MISSING', ['ContextInfo.StanzaId'])
  const stored = given.StanzaId ? await session.socket.stored(chat, given.StanzaId) : undefined
  if (given.StanzaId && isGroup && !given.Participant && !stored) {
    throw gatewayError('FIELD_MISSING', ['ContextInfo.Participant'])
  }
  const author = given.Participant
    ? await resolveUser(session, given.Participant, 'ContextInfo.Participant')
    : chat
  const contextInfo: proto.IContextInfo = {
    ...(given.MentionedJID
      ? { mentionedJid: await resolveUsers(session, given.MentionedJID, 'ContextInfo.MentionedJID') }
      : {}),
    ...(given.IsForwarded === undefined ? {} : { isForwarded: given.IsForwarded }),
    ...(given.ForwardingScore === undefined ? {} : { forwardingScore: given.ForwardingScore }),
    ...(given.Expiration === undefined ? {} : { expiration: given.Expiration }),
    ...(given.StanzaId && !stored
      ? { stanzaId: given.StanzaId, participant: author, quotedMessage: quotedOf(given, quotedText) }
      : {}),
  }
  return { contextInfo, quoted: stored }
}

function quotedOf(given: NonNullable<ContextGiven>, text: string | undefined): proto.IMessage {
  return (given.QuotedMessage as proto.IMessage | undefined) ?? { conversation: text ?? '' }
}
