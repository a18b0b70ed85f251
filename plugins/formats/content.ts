import { Jid } from 'wamux/messaging'
import type { GatewayEvents, Session } from 'wamux/plugin'
import { isOwn } from './people.ts'

export type Message = GatewayEvents['Message']['message']
export type MessageBody = Pick<GatewayEvents['Message'], 'event' | 'message'>

type Fields = Record<string, unknown>

/** The content of a message as protobuf JSON, with the field names of this family of gateways. */
export function contentOf({
  event,
}: Pick<MessageBody, 'event'>): Readonly<Record<string, Fields | undefined>> {
  return (event['Message'] ?? {}) as Record<string, Fields>
}

/** The vCards of the contacts in a message. */
export function vcardsOf(body: MessageBody): string[] {
  const { contactMessage, contactsArrayMessage } = contentOf(body)
  const all = contactMessage ? [contactMessage] : ((contactsArrayMessage?.['contacts'] ?? []) as Fields[])
  return all.map(({ vcard }) => String(vcard ?? ''))
}

/** The message that an edit, a deletion, a reaction or a vote is about. */
export interface Target {
  readonly id: string
  /** Written by this account. */
  readonly isFromMe: boolean
  /** JID of its author in a group, or ''. */
  readonly author: string
}

/** The key of the target is written from the point of view of the sender, not of this account. */
export function targetOf(body: MessageBody, session: Pick<Session, 'jid' | 'lid'>): Target {
  const { message } = body
  const { targetId: id = '', isFromMe: isByMe, chat, from } = message
  const key = keyIn(contentOf(body))
  const isBySender = key?.['fromMe'] === true || (!key && message.type !== 'vote')
  const author = isBySender ? from.jid : Jid.bare(String(key?.['participant'] ?? ''))
  if (!chat.isGroup) return { id, isFromMe: isBySender === isByMe, author: '' }
  return { id, isFromMe: isBySender ? isByMe : isOwn(author, session), author }
}

function keyIn(content: ReturnType<typeof contentOf>): Fields | undefined {
  const { reactionMessage, encReactionMessage, protocolMessage, pollUpdateMessage } = content
  return (reactionMessage?.['key'] ??
    encReactionMessage?.['targetMessageKey'] ??
    protocolMessage?.['key'] ??
    pollUpdateMessage?.['pollCreationMessageKey']) as Fields | undefined
}

/** Whether the fact is one that other gateways do not report as a message; what is refused they would take for a change. */
export function isHidden({ type, refused }: Pick<Message, 'type' | 'refused'>): boolean {
  return refused === true || type === 'system' || type === 'album' || type === 'pin'
}
