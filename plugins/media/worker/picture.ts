import type { Metadata, Sharp, SharpOptions } from 'sharp'

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
const QUALITY = 90
/** The largest picture of 8 bits a channel; others have up to 32. */
const BYTES_PER_PIXEL = 4

/**
 * The picture as apps show it, upright, with its size as displayed and a thumbnail. JPEG and PNG are not changed, and not part of
 * the result; others become JPEG, or PNG if transparent.
 */
export async function toShown(
  given: Buffer,
  mime: string,
  maxPixels: number,
): Promise<Picture & { bytes?: Buffer; mime: string }> {
  const converted = SHOWN.includes(mime) ? { mime } : await convert(given, maxPixels)
  const { image, metadata } = await open(converted.bytes ?? given, maxPixels)
  const { width, height, autoOrient } = metadata
  const thumbnail = await shrink(image)
  return { ...converted, width: autoOrient?.width ?? width, height: autoOrient?.height ?? height, thumbnail }
}

async function convert(given: Buffer, maxPixels: number): Promise<{ bytes?: Buffer; mime: string }> {
  const { image } = await open(given, maxPixels)
  const { isOpaque } = await image.stats()
  const upright = image.rotate()
  const bytes = await (isOpaque ? upright.jpeg({ quality: QUALITY }) : upright.png()).toBuffer()
  return { bytes, mime: isOpaque ? 'image/jpeg' : 'image/png' }
}

/** WebP is not changed, and not part of the result; others, including animated ones, are fitted into 512 by 512 pixels. */
export async function toSticker(
  given: Buffer,
  mime: string,
  maxPixels: number,
): Promise<{ bytes?: Buffer; isAnimated: boolean }> {
  const { image, metadata } = await open(given, maxPixels, { animated: true })
  const { pages = 1 } = metadata
  const isAnimated = pages > 1
  if (mime === 'image/webp') return { isAnimated }
  const maxFrames = Math.max(1, Math.floor(maxPixels / STICKER ** 2))
  if (pages > maxFrames)
    throw new Error(`it has ${pages} frames, of which a sticker may have ${maxFrames}: make it shorter`)
  const box = { fit: 'contain' as const, background: { r: 0, g: 0, b: 0, alpha: 0 } }
  const bytes = await image.resize(STICKER, STICKER, box).webp().toBuffer()
  return { bytes, isAnimated }
}

/** A picture in another format. */
export async function toFormat(given: Buffer, format: 'jpeg' | 'png', maxPixels: number): Promise<Buffer> {
  const { image } = await open(given, maxPixels)
  return image.rotate().toFormat(format).toBuffer()
}

/** An upright square cut from the centre of a picture, as JPEG. */
export async function toPhoto(given: Buffer, maxPixels: number, isEnlarged: boolean): Promise<Buffer> {
  const { image, metadata } = await open(given, maxPixels)
  const side = isEnlarged ? PHOTO : Math.min(PHOTO, metadata.width, metadata.height)
  const square = image.rotate().resize(side, side, { fit: 'cover' })
  return square.flatten({ background: '#ffffff' }).jpeg({ quality: 80 }).toBuffer()
}

/** The thumbnail of a video frame. */
export async function shrinkFrame(jpeg: Buffer, maxPixels: number): Promise<Buffer> {
  return shrink((await open(jpeg, maxPixels)).image)
}

function shrink(image: Sharp): Promise<Buffer> {
  return image.rotate().resize(THUMBNAIL, THUMBNAIL, { fit: 'inside' }).jpeg({ quality: 60 }).toBuffer()
}

interface Opened {
  readonly image: Sharp
  readonly metadata: Metadata
}

/** Reads the head of a picture, and refuses one that would be too large in memory before it is decoded. */
async function open(bytes: Buffer, maxPixels: number, options: SharpOptions = {}): Promise<Opened> {
  // Loaded at the first use: other jobs do not need it.
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  const metadata = await sharp(bytes, { ...options, limitInputPixels: false }).metadata()
  assertSize(metadata, maxPixels)
  return { image: sharp(bytes, { ...options, limitInputPixels: maxPixels }), metadata }
}

/** The height of an animation is that of all frames together. */
function assertSize({ width, height, channels, depth, pages = 1, pageHeight }: Metadata, maxPixels: number) {
  const size = `${width} by ${pageHeight ?? height} pixels${pageHeight ? ` in ${pages} frames` : ''}`
  if (width * height > maxPixels)
    throw new Error(`it has ${size}, more than the ${maxPixels} that are allowed: make it smaller`)
  const bytes = width * height * channels * BYTES[depth]
  const maxBytes = maxPixels * BYTES_PER_PIXEL
  if (bytes <= maxBytes) return
  const reason = `it has ${size} of ${8 * BYTES[depth]} bits in ${channels} channels, ${bytes} bytes`
  throw new Error(`${reason}, and ${maxBytes} are allowed: make it smaller, or use 8 bits`)
}

/** Of a channel of one pixel. */
const BYTES = {
  char: 1,
  uchar: 1,
  short: 2,
  ushort: 2,
  int: 4,
  uint: 4,
  float: 4,
  double: 8,
  complex: 8,
  dpcomplex: 16,
} as const satisfies Record<Metadata['depth'], number>
