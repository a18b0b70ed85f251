import { fileTypeFromBuffer } from 'file-type'
import { gatewayError } from 'wamux/plugin'
import { decodeMedia } from './data-url.ts'
import { measure, type Picture, toSticker } from './picture.ts'

export interface MediaFile {
  bytes: Buffer
  /** By its content where that is known, else as declared. */
  mime: string
}

export interface Media {
  /** Any file. Throws BASE64_INVALID, FIELD_INVALID. */
  file(field: string, text: string): Promise<MediaFile>
  /** A picture with its size and a JPEG thumbnail. Throws MEDIA_UNSUPPORTED for what is none. */
  image(field: string, text: string): Promise<MediaFile & Picture>
  /** A WebP sticker, made of the picture where it is something else. */
  sticker(field: string, text: string): Promise<MediaFile & { isAnimated: boolean }>
  /** A file that must be of one kind: `audio`, `video`. */
  kind(field: string, text: string, kind: 'audio' | 'video'): Promise<MediaFile>
  /** A thumbnail that the client made itself: JPEG or PNG. */
  thumbnail(field: string, text: string): Promise<Buffer>
}

export function createMedia({ config }: { config: { maxBytes: number; maxPixels: number } }): Media {
  async function file(field: string, text: string): Promise<MediaFile> {
    const { bytes, declared } = decodeMedia(field, text)
    if (bytes.length > config.maxBytes) {
      throw gatewayError('FIELD_INVALID', [
        field,
        `the file has ${bytes.length} bytes, at most ${config.maxBytes} are allowed`,
      ])
    }
    const found = await fileTypeFromBuffer(bytes)
    return { bytes, mime: found?.mime ?? declared ?? 'application/octet-stream' }
  }

  return {
    file,
    async image(field, text) {
      const { bytes, mime } = await file(field, text)
      return { bytes, mime, ...(await measure(field, bytes, config.maxPixels)) }
    },
    async sticker(field, text) {
      const { bytes, mime } = await file(field, text)
      return toSticker(field, bytes, mime, config.maxPixels)
    },
    async kind(field, text, kind) {
      const found = await file(field, text)
      // Containers carry either: mp4 and ogg files without pictures are audio too.
      const isContainer = /^(video\/(mp4|webm|ogg|quicktime)|application\/(ogg|octet-stream))$/.test(
        found.mime,
      )
      if (!found.mime.startsWith(`${kind}/`) && !isContainer) {
        throw gatewayError('MEDIA_UNSUPPORTED', [field, `${found.mime} is no ${kind}`])
      }
      return found
    },
    async thumbnail(field, text) {
      const { bytes, mime } = await file(field, text)
      if (mime !== 'image/jpeg' && mime !== 'image/png')
        throw gatewayError('MEDIA_UNSUPPORTED', [field, `${mime} is neither JPEG nor PNG`])
      return bytes
    },
  }
}
