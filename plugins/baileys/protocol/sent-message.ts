import type { WAMessage, WASocket } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import type { Built } from './built.ts'

/** A message accepted by the network, in the form in which the event log has own messages. */
export function sentMessage(wa: WASocket, { id, chat, message }: Built, time: number): WAMessage {
  const participant = Jid.isGroup(chat) ? (wa.user?.lid ?? wa.user?.id) : undefined
  const key = {
    remoteJid: chat,
    fromMe: true,
    id,
    ...(participant ? { participant: participant.replace(/:\d+@/, '@') } : {}),
  }
  return { key, message, messageTimestamp: Math.floor(time / 1000), pushName: wa.user?.name } as WAMessage
}
