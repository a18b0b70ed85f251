import type { Sharp, SharpOptions } from 'sharp'
import { gatewayError, reasonOf } from 'wamux/plugin'
import type { MediaFile } from './data-url.ts'

export interface Picture {
  width: number
  height: number
  /** JPEG; clients show it until the file is downloaded. */
  thumbnail: Buffer
}

const THUMBNAIL = 72
const STICKER = 512

/** The size as displayed, with the EXIF orientation applied, and a thumbnail. */
export async function measure(field: string, bytes: Buffer, maxPixels: number): Promise<Picture> {
  try {
    const image = await open(bytes, { limitInputPixels: maxPixels })
    const { width, height, autoOrient } = await image.metadata()
    const thumbnail = await shrink(image)
    return { width: autoOrient?.width ?? width, height: autoOrient?.height ?? height, thumbnail }
  } catch (cause) {
    throw gatewayError('MEDIA_UNSUPPORTED', [field, reasonOf(cause)], { cause })
  }
}

/** WebP is not changed; other pictures, also animated ones, are fitted into 512 by 512 pixels. */
export async function toSticker(
  field: string,
  bytes: Buffer,
  mime: string,
  maxPixels: number,
): Promise<MediaFile & { isAnimated: boolean }> {
  try {
    const image = await open(bytes, { animated: true, limitInputPixels: maxPixels })
    const { pages = 1 } = await image.metadata()
    const isAnimated = pages > 1
    if (mime === 'image/webp') return { bytes, mime, isAnimated }
    const box = { fit: 'contain' as const, background: { r: 0, g: 0, b: 0, alpha: 0 } }
    const webp = await image.resize(STICKER, STICKER, box).webp().toBuffer()
    return { bytes: webp, mime: 'image/webp', isAnimated }
  } catch (cause) {
    throw gatewayError('MEDIA_UNSUPPORTED', [field, reasonOf(cause)], { cause })
  }
}

/** A picture in the thumbnail format of its message; one that has it already is not changed. */
export async function toThumbnail(
  field: string,
  { bytes, mime }: MediaFile,
  format: 'jpeg' | 'png',
  maxPixels: number,
): Promise<Buffer> {
  if (mime === `image/${format}`) return bytes
  try {
    const image = await open(bytes, { limitInputPixels: maxPixels })
    return await image.rotate().toFormat(format).toBuffer()
  } catch (cause) {
    throw gatewayError('MEDIA_UNSUPPORTED', [field, reasonOf(cause)], { cause })
  }
}

/** The thumbnail of a trusted picture, such as a frame of a video. */
export async function shrink(picture: Buffer | Sharp): Promise<Buffer> {
  const image = Buffer.isBuffer(picture) ? await open(picture) : picture
  return image.rotate().resize(THUMBNAIL, THUMBNAIL, { fit: 'inside' }).jpeg({ quality: 60 }).toBuffer()
}

/** Loads sharp when it is first used: it occupies some 30 MB. */
async function open(bytes: Buffer, options?: SharpOptions): Promise<Sharp> {
  const { default: sharp } = await import('sharp')
  return sharp(bytes, options)
}
