import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import type { Inbox } from './inbox.ts'
import type { FileKind, Files } from './media-file.ts'
import type { Outgoing } from './outgoing.ts'
import { type Me, messagesOf } from './signals.ts'

const KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies readonly FileKind[]
const FILE_MOST = 100 * 1024 * 1024

/** Fetches and decrypts the file of a media message. */
export function downloadOf(files: Files) {
  return async ({ message }: WAMessage): Promise<Buffer> => {
    for (const kind of KINDS) {
      const part: proto.Message.IImageMessage | null | undefined = message?.[`${kind}Message`]
      if (part) return files.fetch(kind, part, FILE_MOST)
    }
    throw gatewayError('FIELD_INVALID', ['Message', 'carries no file'])
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
  const [signal] = received ? messagesOf(received, me) : []
  if (signal) return signal.message
  const sent = await outgoing.find(id)
  if (!sent || sent.chat !== chat) return undefined
  return { key: { remoteJid: sent.chat, fromMe: true, id }, message: outgoing.messageOf(sent) } as WAMessage
}
