import { api, of } from '../../api.ts'

/** A message with its later changes, from `GET /chats/:jid/messages`. */
export interface ChatMessage {
  readonly Seq: number
  readonly Message: {
    readonly id: string
    readonly type: string
    /** '' for none or once deleted. */
    readonly text: string
    readonly from: Person
    readonly time: string
    readonly isFromMe: boolean
  }
  /** Times; '' for never. */
  readonly Edited: string
  readonly Deleted: string
  readonly Reactions: readonly { readonly Emoji: string; readonly From: Person; readonly IsFromMe: boolean }[]
  /** A link to the file, which expires. */
  readonly MediaURL?: string
}

interface Person {
  readonly name?: string
  readonly jid: string
  readonly phone: string
}

export interface ShownChat {
  readonly JID: string
  readonly Phone: string
  readonly Type: string
  readonly Name: string
  readonly Unread: number
  readonly Last?: ChatMessage
}

export interface ChatPage<T> {
  readonly rows: readonly T[]
  /** The next `before`; 0 at the end. */
  readonly before: number
}

const LIMIT = '50'

export async function readChats(session: string, before = 0): Promise<ChatPage<ShownChat>> {
  const query = { limit: LIMIT, ...(before ? { before: String(before) } : {}) }
  const { Chats, Before } = await api.call<{ Chats: ShownChat[]; Before: number }>(
    'get',
    '/chats',
    query,
    of(session),
  )
  return { rows: Chats, before: Before }
}

/** Newest first. */
export async function readMessages(
  session: string,
  chat: string,
  before = 0,
): Promise<ChatPage<ChatMessage>> {
  const query = { limit: LIMIT, ...(before ? { before: String(before) } : {}) }
  const { Messages, Before } = await api.call<{ Messages: ChatMessage[]; Before: number }>(
    'get',
    `/chats/${encodeURIComponent(chat)}/messages`,
    query,
    of(session),
  )
  return { rows: Messages, before: Before }
}

export function sendText(session: string, chat: string, text: string): Promise<unknown> {
  return api.post('/send/text', { Phone: chat, Body: text }, of(session))
}

/** Name, or else number, or else JID. */
export const nameOf = ({ Name, Phone, JID }: ShownChat): string => Name || Phone || JID

export const personOf = ({ name, phone, jid }: Person): string => name || phone || jid
