import type { Session } from 'wamux/plugin'
import type { Message, Target } from '../content.ts'
import { ownRef, phoneJidIn, phoneJidOf, type Ref } from '../people.ts'

/** `5511…@s.whatsapp.net` → `5511…@c.us` */
export function contactId(jid: string): string {
  return jid.replace(/@s\.whatsapp\.net$/, '@c.us')
}

export function idOf(ref: Pick<Ref, 'jid' | 'phone'>): string {
  return contactId(phoneJidOf(ref))
}

/** The id of a pair of forms of a JID. */
export function idIn(jid: string, alt: string): string {
  return contactId(phoneJidIn(jid, alt))
}

/** Id of the account. */
export function ownId(session: Session, jid: string): string {
  return idOf(ownRef(session, jid))
}

interface MessageIdParts {
  readonly isFromMe: boolean
  readonly chat: string
  readonly id: string
  /** '' outside groups. */
  readonly participant: string
}

/** `false_5511…@c.us_3EB0…`, in groups followed by the author. */
export function messageId({ isFromMe, chat, id, participant }: MessageIdParts): string {
  return [isFromMe, chat, id, ...(participant ? [participant] : [])].join('_')
}

export function messageIdOf(message: Message): string {
  const { id, isFromMe, chat } = message
  return messageId({ isFromMe, id, chat: idOf(chat), participant: participantOf(message) })
}

/** @param own the account's id. */
export function targetIdOf({ chat, from }: Message, { id, isFromMe, author }: Target, own: string): string {
  const known = author === from.jid ? idOf(from) : contactId(author)
  const participant = chat.isGroup ? (isFromMe ? own : known) : ''
  return messageId({ isFromMe, id, chat: idOf(chat), participant })
}

/** The author of a message in a group, otherwise ''. */
export function participantOf({ chat, from }: Message): string {
  return chat.isGroup ? idOf(from) : ''
}
