import { createHash } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import type { Uplink } from '../types.ts'
import type { Proto } from './compose.ts'
import { type Kind, type MediaFields, openMedia } from './media.ts'
import type { MediaSeen } from './messages.ts'

type Wire = GatewayServices['wire']

/** Where a file is kept and how it is encrypted. */
interface Pointer extends MediaFields {
  directPath?: string | null
  mimetype?: string | null
}

type Parts = { [K in (typeof KINDS)[number] as `${K}Message`]?: Pointer | null }

const KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies readonly Kind[]

/** Downloads and decrypts all that a message points at. */
export async function fetchAll(
  wire: Wire,
  uplink: Uplink,
  message: Proto,
): Promise<{ media?: MediaSeen; files?: MediaSeen[] }> {
  const media = await fetchMedia(wire, uplink, message)
  const files = await fetchFiles(wire, uplink, message)
  return { ...(media ? { media } : {}), ...(files.length > 0 ? { files } : {}) }
}

/** The file that a media message is about; undefined for other messages. */
export function fileOf(message: Parts): { kind: Kind; part: Pointer } | undefined {
  for (const kind of KINDS) {
    const part = message[`${kind}Message`]
    if (part?.directPath) return { kind, part }
  }
  return undefined
}

async function fetchMedia(wire: Wire, uplink: Uplink, message: Parts): Promise<MediaSeen | undefined> {
  const file = fileOf(message)
  return file && fetchOne(wire, uplink, file.kind, file.part)
}

/** The files that a message shows around its text: picture of a header, of each card, of a link. */
async function fetchFiles(wire: Wire, uplink: Uplink, message: Proto): Promise<MediaSeen[]> {
  const { interactiveMessage, extendedTextMessage } = message
  const headers = [interactiveMessage, ...(interactiveMessage?.carouselMessage?.cards ?? [])]
  const files: MediaSeen[] = []
  for (const shown of headers) {
    const file = shown?.header ? await fetchMedia(wire, uplink, shown.header) : undefined
    if (file) files.push(file)
  }
  const { thumbnailDirectPath, mediaKey, thumbnailSha256, thumbnailEncSha256 } = extendedTextMessage ?? {}
  if (thumbnailDirectPath && mediaKey) {
    const picture = {
      directPath: thumbnailDirectPath,
      mediaKey,
      fileSha256: thumbnailSha256 ?? null,
      fileEncSha256: thumbnailEncSha256 ?? null,
    }
    files.push(await fetchOne(wire, uplink, 'link', picture))
  }
  return files
}

async function fetchOne(wire: Wire, uplink: Uplink, kind: Kind, part: Pointer): Promise<MediaSeen> {
  const file = await uplink.download(part.directPath ?? '')
  // Files of newsletters are not encrypted.
  const plain = part.mediaKey?.length ? openMedia(wire, kind, file, part) : file
  return {
    mimetype: part.mimetype ?? '',
    size: plain.length,
    sha256: createHash('sha256').update(plain).digest('hex'),
  }
}
