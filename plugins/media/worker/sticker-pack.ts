import { createHash } from 'node:crypto'

/** The pack that apps name when a sticker is tapped. */
export interface StickerPack {
  readonly name: string
  readonly publisher: string
  /** What the sticker is found by. */
  readonly emojis: readonly string[]
}

/**
 * A TIFF head with one entry: tag 0x5741, type 7 (bytes), whose length is at 14 and whose value, JSON, begins at 22. The apps of
 * phones and WhatsApp Web read it (public sticker makers write it so; no source of WhatsApp's).
 */
const HEAD = Buffer.from('49492a00080000000100415707000000000016000000', 'hex')
const LENGTH_AT = 14
/** Flags of a VP8X chunk, and that of a file with EXIF. */
const FLAGS_AT = 8
const HAS_EXIF = 0x08
const HAS_ALPHA = 0x10
/** An animation has one for each frame. */
const MAX_CHUNKS = 4_096

/**
 * The sticker, a WebP, with its pack instead of the one it had; the given file is not changed. Stickers of one name and publisher are
 * of one pack.
 */
export function withPack(webp: Buffer, { name, publisher, emojis }: StickerPack): Buffer {
  const id = createHash('sha256')
    .update(JSON.stringify([name, publisher]))
    .digest('hex')
  const json = Buffer.from(
    JSON.stringify({
      'sticker-pack-id': id,
      'sticker-pack-name': name,
      'sticker-pack-publisher': publisher,
      emojis,
    }),
  )
  const head = Buffer.from(HEAD)
  head.writeUInt32LE(json.length, LENGTH_AT)
  const chunks = chunksOf(webp).filter(({ type }) => type !== 'EXIF')
  const isExtended = chunks[0]?.type === 'VP8X'
  const extension = isExtended ? Buffer.from(chunks[0]?.chunk ?? '') : extensionOf(chunks)
  if (extension.length <= FLAGS_AT) throw new Error('its first chunk is too short')
  extension.writeUInt8(extension.readUInt8(FLAGS_AT) | HAS_EXIF, FLAGS_AT)
  const others = chunks.slice(isExtended ? 1 : 0).map(({ chunk }) => chunk)
  return riffOf([extension, ...others, chunkOf('EXIF', Buffer.concat([head, json]))])
}

interface Chunk {
  readonly type: string
  /** With its head and padding. */
  readonly chunk: Buffer
}

function chunksOf(webp: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = 12; at + 8 <= webp.length; ) {
    const length = webp.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    chunks.push({ type: webp.toString('latin1', at, at + 4), chunk: webp.subarray(at, end) })
    if (chunks.length > MAX_CHUNKS) throw new Error(`it has more than ${MAX_CHUNKS} chunks`)
    at = end
  }
  return chunks
}

/** A simple file, of one VP8 or VP8L chunk, needs one that says its size. */
function extensionOf([first]: readonly Chunk[]): Buffer {
  if (!first) throw new Error('the file has no picture')
  const { width, height, hasAlpha } = sizeOf(first)
  const body = Buffer.alloc(10)
  body.writeUInt8(hasAlpha ? HAS_ALPHA : 0, 0)
  body.writeUIntLE(width - 1, 4, 3)
  body.writeUIntLE(height - 1, 7, 3)
  return chunkOf('VP8X', body)
}

/** RFC 9649, and RFC 6386 for lossy pictures. */
function sizeOf({ type, chunk }: Chunk): { width: number; height: number; hasAlpha: boolean } {
  if (type === 'VP8 ')
    return {
      width: chunk.readUInt16LE(14) & 0x3fff,
      height: chunk.readUInt16LE(16) & 0x3fff,
      hasAlpha: false,
    }
  if (type !== 'VP8L') throw new Error(`unknown picture ${type}`)
  const bits = chunk.readUInt32LE(9)
  return {
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    hasAlpha: ((bits >>> 28) & 1) === 1,
  }
}

function chunkOf(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

function riffOf(chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  const head = Buffer.alloc(8)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}
