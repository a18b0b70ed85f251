import './before.ts'
import { downloadMediaMessage, type WAMessage, type WASocket } from '@whiskeysockets/baileys'
import type { Dispatcher } from 'undici'
import type { Inbox } from './inbox.ts'
import type { Outgoing } from './outgoing.ts'
import { refusalOf } from './refusal.ts'
import { type Me, messageOf } from './signals.ts'

/** Fetches and decrypts the file of a media message. */
export function downloadOf(wa: WASocket, dispatcher: Dispatcher | undefined) {
  return async (message: WAMessage): Promise<Buffer> => {
    const options = dispatcher ? { options: { dispatcher } as never } : {}
    try {
      const context = { logger: wa.logger, reuploadRequest: wa.updateMediaMessage }
      return await downloadMediaMessage(message, 'buffer', options, context)
    } catch (error) {
      throw refusalOf(error, 'download the file')
    }
  }
}

/** A message of the last days by its id, received or sent. */
export async function storedMessage(
  inbox: Inbox,
  outgoing: Outgoing,
  me: Me,
  chat: string,
  id: string,
): Promise<WAMessage | undefined> {
  const received = await inbox.byMessage(id)
  const signal = received && messageOf(received, me)
  if (signal) return signal.message
  const sent = await outgoing.find(id)
  if (!sent || sent.chat !== chat) return undefined
  return { key: { remoteJid: sent.chat, fromMe: true, id }, message: outgoing.messageOf(sent) } as WAMessage
}
