import type { WAMessageKey } from '@whiskeysockets/baileys'
import { LENGTHS } from 'wamux/messaging'
import { gatewayError, T } from 'wamux/plugin'
import { type Asking, keyOf } from '../message-key.ts'

/** The message that a request is about. */
export const Target = T.String({
  maxLength: LENGTHS.id,
  minLength: 1,
  format: 'id',
  aliases: ['MessageId'],
  description: 'Id of the message',
})

export const Author = (description: string) =>
  T.Optional(T.String({ maxLength: LENGTHS.id, format: 'phone', names: 'author', description }))

/** The whole request, by which a repetition is recognized; its Id is the target message. */
export function requestOf<B extends { Phone: string; Id: string }>({ Id: Target, ...body }: B) {
  return { ...body, Target }
}

interface Named {
  readonly chat: string
  readonly id: string
  readonly author: string | undefined
  readonly isFromMe: boolean | undefined
}

/** The key of a message that is stored in the chat, or that the caller describes. Rejects MESSAGE_UNKNOWN. */
export async function namedKeyOf(asking: Asking, { isFromMe, ...ref }: Named): Promise<WAMessageKey> {
  const stored = await asking.session.socket.message(ref, asking.viewer)
  if (!stored && isFromMe === undefined) throw gatewayError('MESSAGE_UNKNOWN')
  if (!stored) return keyOf(asking, { ...ref, isFromMe: isFromMe === true })
  const { fromMe, participant } = stored.key
  // Devices find it in the chat by the form that its stanza had.
  const { chat, id } = ref
  return { remoteJid: chat, id, fromMe: fromMe === true, ...(participant && !fromMe ? { participant } : {}) }
}
