import { isPersonJid } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'
import type { LastMessages } from './last-messages.ts'

/** The message before which the history is requested. */
interface Anchor {
  chat: string
  id: string
  fromMe: boolean
  /** Unix time in milliseconds. */
  time: number
}

export interface Before {
  id: string | undefined
  /** RFC 3339, or seconds since 1970; for a message that is not stored here. */
  timestamp: string | undefined
  isFromMe: boolean
}

/**
 * Requests `count` messages before the given one from the phone; resolves with the id of the request when the network
 * has it. Rejects FIELD_INVALID for a chat without a history on the phone, FIELD_MISSING if no message of the chat is
 * known, MESSAGE_UNKNOWN, or as the driver's `requestHistory` does.
 */
export async function requestHistory(
  lastMessages: LastMessages,
  session: LiveSession,
  chat: string,
  before: Before,
  count: number,
): Promise<string> {
  if (!isPersonJid(chat) && !chat.endsWith('@g.us'))
    throw gatewayError('FIELD_INVALID', ['Phone', 'must be a person or a group'])
  const anchor = await anchorOf(lastMessages, session, chat, before)
  return session.socket.requestHistory({ ...anchor, count })
}

async function anchorOf(
  lastMessages: LastMessages,
  session: LiveSession,
  chat: string,
  { id, timestamp, isFromMe }: Before,
): Promise<Anchor> {
  if (!id) {
    const last = await lastMessages.last(session, chat)
    if (!last) throw gatewayError('FIELD_MISSING', ['BeforeID'])
    return { ...last, time: last.time * 1000 }
  }
  if (timestamp) return { chat, id, fromMe: isFromMe, time: toTime(timestamp) }
  const stored = await session.socket.stored(chat, id)
  const forms = [chat, isPersonJid(chat) ? await session.socket.altJid(chat) : chat]
  const remoteJid = stored?.key.remoteJid ?? ''
  if (!stored || !forms.includes(remoteJid)) {
    const details = 'it is not stored here in this chat; name its BeforeTimestamp'
    throw gatewayError('MESSAGE_UNKNOWN', [], { details })
  }
  const fromMe = stored.key.fromMe === true
  return { chat: remoteJid, id, fromMe, time: await timeOf(session, id, stored.messageTimestamp) }
}

/** A message that was sent from here has its time in its outcome. */
async function timeOf({ socket }: LiveSession, id: string, seconds: unknown): Promise<number> {
  const time = Number(seconds ?? 0) * 1000
  return time || Date.parse((await socket.outcome(id))?.time ?? '') || Date.now()
}

function toTime(timestamp: string): number {
  const time = /^\d+$/.test(timestamp) ? Number(timestamp) * 1000 : Date.parse(timestamp)
  if (Number.isFinite(time)) return time
  throw gatewayError('FIELD_INVALID', ['BeforeTimestamp', 'must be RFC 3339, or seconds since 1970'])
}
