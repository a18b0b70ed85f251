import type { Sharp, SharpOptions } from 'sharp'
import { gatewayError, reasonOf } from 'wamux/plugin'
import type { GivenFile, MediaFile } from './data-url.ts'

export interface Picture {
  width: number
  height: number
  /** JPEG; clients show it until the file is downloaded. */
  thumbnail: Buffer
}

const THUMBNAIL = 72
const STICKER = 512
/** Side length of photos in pixels. */
const PHOTO = 640

/** Types that all apps show as a picture. */
const SHOWN = ['image/jpeg', 'image/png']
/** Formats decoded here. SVG is excluded: it is a program that can keep the decoder busy for minutes. */
const DECODED = [...SHOWN, 'image/apng', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']
const QUALITY = 90

/**
 * The picture as apps show it, upright, with its size as displayed and a thumbnail. JPEG and PNG are not changed; others
 * become JPEG, or PNG if transparent.
 */
export async function toShown(
  field: string,
  file: GivenFile,
  maxPixels: number,
): Promise<MediaFile & Picture> {
  assertPicture(field, file)
  try {
    const { bytes, mime } = file
    const shown = SHOWN.includes(mime) ? { bytes, mime } : await convert(bytes, maxPixels)
    const image = await open(shown.bytes, { limitInputPixels: maxPixels })
    const { width, height, autoOrient } = await image.metadata()
    const thumbnail = await shrink(image)
    return { ...shown, width: autoOrient?.width ?? width, height: autoOrient?.height ?? height, thumbnail }
  } catch (cause) {
    throw gatewayError('MEDIA_UNSUPPORTED', [field, reasonOf(cause)], { cause })
  }
}

async function convert(given: Buffer, maxPixels: number): Promise<MediaFile> {
  const image = await open(given, { limitInputPixels: maxPixels })
  const { isOpaque } = await image.stats()
  const upright = image.rotate()
  const bytes = await (isOpaque ? upright.jpeg({ quality: QUALITY }) : upright.png()).toBuffer()
  return { bytes, mime: isOpaque ? 'image/jpeg' : 'image/png' }
}

function assertPicture(field: string, { mime, isDetected }: GivenFile): void {
  if (isDetected && DECODED.includes(mime)) return
  const what = isDetected ? mime : 'the content of the file'
  const reason = `${what} is not a picture that can be sent: use JPEG, PNG, WebP, GIF, AVIF or TIFF`
  throw gatewayError('MEDIA_UNSUPPORTED', [field, reason])
}

/** WebP is not changed; other pictures, including animated ones, are fitted into 512 by 512 pixels. */
export async function toSticker(
  field: string,
  file: GivenFile,
  maxPixels: number,
): Promise<MediaFile & { isAnimated: boolean }> {
  assertPicture(field, file)
  const { bytes, mime } = file
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

/** A picture in the thumbnail format of its message; one already in that format is not changed. */
export async function toThumbnail(
  field: string,
  file: GivenFile,
  format: 'jpeg' | 'png',
  maxPixels: number,
): Promise<Buffer> {
  assertPicture(field, file)
  const { bytes, mime } = file
  if (mime === `image/${format}`) return bytes
  try {
    const image = await open(bytes, { limitInputPixels: maxPixels })
    return await image.rotate().toFormat(format).toBuffer()
  } catch (cause) {
    throw gatewayError('MEDIA_UNSUPPORTED', [field, reasonOf(cause)], { cause })
  }
}

/** An upright square cut from the centre of a picture as `toShown` returns it, as JPEG. */
export async function toPhoto(
  { bytes, width, height }: MediaFile & Picture,
  { isEnlarged = true }: { isEnlarged?: boolean } = {},
): Promise<Buffer> {
  const image = await open(bytes)
  const side = isEnlarged ? PHOTO : Math.min(PHOTO, width, height)
  const square = image.rotate().resize(side, side, { fit: 'cover' })
  return square.flatten({ background: '#ffffff' }).jpeg({ quality: 80 }).toBuffer()
}

/** The thumbnail of a trusted picture, for example a video frame. */
export async function shrink(picture: Buffer | Sharp): Promise<Buffer> {
  const image = Buffer.isBuffer(picture) ? await open(picture) : picture
  return image.rotate().resize(THUMBNAIL, THUMBNAIL, { fit: 'inside' }).jpeg({ quality: 60 }).toBuffer()
}

/** Loads sharp at the first use: it takes some 30 MB. */
async function open(bytes: Buffer, options?: SharpOptions): Promise<Sharp> {
  const { default: sharp } = await import('sharp')
  return sharp(bytes, options)
}
