import { Jid } from 'wamux/messaging'
import type { Session } from 'wamux/plugin'
import type { Message, Target } from '../content.ts'
import { ownRef, phoneJidOf, type Ref } from '../people.ts'

/**
 * The key of a message. People are named by phone number where it is known, with the LID as the other form: receivers read
 * the number from `remoteJid`.
 */
export function keyOf({ id, isFromMe, chat, from }: Pick<Message, 'id' | 'isFromMe' | 'chat' | 'from'>) {
  return makeKey(chat, { id, fromMe: isFromMe, author: chat.isGroup ? from : undefined })
}

interface KeyParts {
  readonly id: string
  readonly fromMe: boolean
  /** In groups. */
  readonly author: Ref | undefined
}

export function makeKey(chat: Ref, { id, fromMe, author }: KeyParts) {
  const named = author ?? chat
  return {
    remoteJid: phoneJidOf(chat),
    fromMe,
    id,
    participant: author ? phoneJidOf(author) : '',
    ...(named.phone && named.lid ? { [author ? 'participantAlt' : 'remoteJidAlt']: named.lid } : {}),
    addressingMode: Jid.isLid(named.jid) && !named.phone ? 'lid' : 'pn',
  }
}

/** The key of the message that another is about, from this account's point of view. */
export function targetKeyOf(message: Message, target: Target, session: Session, jid: string) {
  const { chat, from } = message
  const { id, isFromMe, author } = target
  const known = author === from.jid ? from : { jid: author, phone: '', lid: '' }
  const named = isFromMe ? ownRef(session, jid) : known
  return makeKey(chat, { id, fromMe: isFromMe, author: chat.isGroup ? named : undefined })
}

/** The kind of device that sends messages with such ids. */
export function sourceOf(id: string): string {
  if (/^3A.{18}$/.test(id)) return 'ios'
  if (/^3E.{20}$/.test(id)) return 'web'
  if (/^(.{21}|.{32})$/.test(id)) return 'android'
  return /^(3F.*|.{18})$/.test(id) ? 'desktop' : 'unknown'
}
