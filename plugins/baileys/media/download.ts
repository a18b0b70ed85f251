import type { proto, WAMessageKey, WASocket } from '@whiskeysockets/baileys'
import { gatewayError, isGatewayError, type Socket } from 'wamux/plugin'
import type { FileKind, Files, MediaFile } from './media-file.ts'
import { reuploadOf } from './reupload.ts'

const KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies readonly FileKind[]
const MAX_FILE_BYTES = 100 * 1024 * 1024

/** Downloads the files of media messages; the phone reuploads those that the media host no longer has. */
export function downloadOf(
  files: Files,
  session: string,
  wa: WASocket,
  reuploadTimeoutMs: number,
): Pick<Socket, 'download' | 'reupload'> {
  const reupload = reuploadOf(wa, reuploadTimeoutMs)
  return {
    async download({ key, message }) {
      for (const kind of KINDS) {
        const part: proto.Message.IImageMessage | null | undefined = message?.[`${kind}Message`]
        if (part) return fetch(kind, part, key)
      }
      throw gatewayError('FIELD_INVALID', ['Message', 'carries no file'])
    },
    reupload,
  }

  async function fetch(kind: FileKind, part: MediaFile, key: WAMessageKey): Promise<Buffer> {
    try {
      return await files.fetch(session, kind, part, MAX_FILE_BYTES)
    } catch (error) {
      if (!isGatewayError(error) || error.code !== 'ITEM_UNKNOWN' || !part.mediaKey?.length) throw error
      const directPath = await reupload(key, part.mediaKey)
      return files.fetch(session, kind, { ...part, url: '', directPath }, MAX_FILE_BYTES)
    }
  }
}
