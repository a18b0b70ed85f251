import { Jid } from 'wamux/messaging'
import { gatewayError, type LiveSession, type Viewer } from 'wamux/plugin'
import type { LastMessages } from './last-messages.ts'

/** The message before which the history is requested. */
interface Anchor {
  chat: string
  id: string
  fromMe: boolean
  /** Unix time in milliseconds. */
  time: number
}

/** The requester of the history. */
interface Asking {
  readonly session: LiveSession
  readonly viewer: Viewer
}

export interface Before {
  id: string | undefined
  /** RFC 3339, or seconds since 1970; for a message not stored here. */
  timestamp: string | undefined
  isFromMe: boolean
}

/**
 * Requests `count` messages before the given one from the phone; resolves with the request's id when the network has it.
 * Rejects FIELD_INVALID for a chat without a history on the phone, FIELD_MISSING if no message of the chat is known,
 * MESSAGE_UNKNOWN, or with the errors of the driver's `requestHistory`.
 */
export async function requestHistory(
  lastMessages: LastMessages,
  asking: Asking,
  chat: string,
  before: Before,
  count: number,
): Promise<string> {
  if (!Jid.isPerson(chat) && !Jid.isGroup(chat))
    throw gatewayError('FIELD_INVALID', ['Phone', 'must be a person or a group'])
  const anchor = await anchorOf(lastMessages, asking, chat, before)
  return asking.session.socket.requestHistory({ ...anchor, count })
}

async function anchorOf(
  lastMessages: LastMessages,
  { session, viewer }: Asking,
  chat: string,
  { id, timestamp, isFromMe }: Before,
): Promise<Anchor> {
  if (!id) {
    const last = await lastMessages.last(session, chat)
    if (!last) throw gatewayError('FIELD_MISSING', ['BeforeID'])
    return { ...last, time: last.time * 1000 }
  }
  if (timestamp) return { chat, id, fromMe: isFromMe, time: toTime(timestamp) }
  const stored = await session.socket.message({ chat, id }, viewer)
  if (!stored) {
    const details = 'it is not stored here in this chat; name its BeforeTimestamp'
    throw gatewayError('MESSAGE_UNKNOWN', [], { details })
  }
  const { key, messageTimestamp } = stored
  // The outcome of a message sent from here has its time.
  const outcome = messageTimestamp ? undefined : await session.socket.outcome(id, viewer)
  const time = Number(messageTimestamp ?? 0) * 1000 || Date.parse(outcome?.time ?? '') || Date.now()
  return { chat: key.remoteJid ?? chat, id, fromMe: key.fromMe === true, time }
}

function toTime(timestamp: string): number {
  const time = /^\d+$/.test(timestamp) ? Number(timestamp) * 1000 : Date.parse(timestamp)
  if (Number.isFinite(time)) return time
  throw gatewayError('FIELD_INVALID', ['BeforeTimestamp', 'must be RFC 3339, or seconds since 1970'])
}
