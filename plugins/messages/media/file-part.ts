import type { WAMessageKey } from '@whiskeysockets/baileys'
import type { Info } from '../translate/info.ts'
import { endingOf } from './mime.ts'
import type { ReceivedFile, ReceivedFileKind } from './received-files.ts'

/** The file of a logged `Message`. */
export interface FilePart extends ReceivedFile {
  /** As declared by the sender; the file itself may be larger. */
  size: number
  mimeType: string
  fileName: string
}

const PARTS: Readonly<Record<string, ReceivedFileKind>> = {
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
}

/** Reads the file of a logged body; undefined if it has none. */
export function filePartOf(body: Record<string, unknown>): FilePart | undefined {
  const { Info, Message } = (body['event'] ?? {}) as {
    Info?: Info
    Message?: Record<string, Record<string, unknown>>
  }
  for (const [name, kind] of Object.entries(PARTS)) {
    const part = Message?.[name]
    if (!part?.['mediaKey']) continue
    const text = (field: string): string => String(part[field] ?? '')
    const bytes = (field: string): Buffer => Buffer.from(text(field), 'base64')
    const mimeType = text('mimetype') || 'application/octet-stream'
    return {
      kind,
      message: Info && keyOf(Info),
      file: {
        url: text('URL'),
        directPath: text('directPath'),
        mediaKey: bytes('mediaKey'),
        fileSha256: bytes('fileSHA256'),
        fileEncSha256: bytes('fileEncSHA256'),
      },
      size: Number(part['fileLength'] ?? 0),
      mimeType,
      fileName: `${Info?.ID ?? 'file'}${endingOf(mimeType, text('fileName'))}`,
    }
  }
  return undefined
}

function keyOf({ Chat, ID, IsFromMe, IsGroup, Sender }: Info): WAMessageKey {
  return { remoteJid: Chat, id: ID, fromMe: IsFromMe, ...(IsGroup ? { participant: Sender } : {}) }
}
