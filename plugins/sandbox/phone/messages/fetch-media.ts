import { createHash } from 'node:crypto'
import { fileTypeFromBuffer } from 'file-type'
import type { GatewayServices } from 'wamux/plugin'
import type { Uplink } from '../../types.ts'
import type { Proto } from './compose.ts'
import { type MediaFields, type MediaKind, openMedia } from './media.ts'
import type { MediaSummary } from './store.ts'

type Wire = GatewayServices['wire']

/** Location and keys of an encrypted file. */
interface MediaPointer extends MediaFields {
  directPath?: string | null
  mimetype?: string | null
  fileLength?: number | { toString(): string } | null
}

type MediaParts = { [K in (typeof KINDS)[number] | 'ptv' as `${K}Message`]?: MediaPointer | null }

const KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies readonly MediaKind[]
const FIELDS = [...KINDS.map((kind) => [kind, `${kind}Message`] as const), ['video', 'ptvMessage'] as const]

/** Downloads and decrypts all files to which a message refers. */
export async function fetchMessageMedia(
  wire: Wire,
  uplink: Uplink,
  message: Proto,
): Promise<{ media?: MediaSummary; files?: MediaSummary[] }> {
  const { interactiveMessage, extendedTextMessage } = message
  const file = fileOf(message)
  const media = file && (await fetchOne(wire, uplink, file.kind, file.part))
  const files = interactiveMessage || extendedTextMessage ? await fetchFiles(wire, uplink, message) : []
  return { ...(media ? { media } : {}), ...(files.length > 0 ? { files } : {}) }
}

/** The file of a media message; undefined for other messages. */
export function fileOf(message: MediaParts): { kind: MediaKind; part: MediaPointer } | undefined {
  for (const [kind, field] of FIELDS) {
    const part = message[field]
    if (part?.directPath) return { kind, part }
  }
  return undefined
}

async function fetchMedia(
  wire: Wire,
  uplink: Uplink,
  message: MediaParts,
): Promise<MediaSummary | undefined> {
  const file = fileOf(message)
  return file && fetchOne(wire, uplink, file.kind, file.part)
}

/** Pictures of headers, cards and link previews. */
async function fetchFiles(wire: Wire, uplink: Uplink, message: Proto): Promise<MediaSummary[]> {
  const { interactiveMessage, extendedTextMessage } = message
  const headers = [interactiveMessage, ...(interactiveMessage?.carouselMessage?.cards ?? [])]
  const files: MediaSummary[] = []
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

async function fetchOne(
  wire: Wire,
  uplink: Uplink,
  kind: MediaKind,
  part: MediaPointer,
): Promise<MediaSummary> {
  const file = await uplink.download(part.directPath ?? '')
  // Newsletter files are not encrypted.
  const plain = part.mediaKey?.length ? openMedia(wire, kind, file, part) : file
  return {
    mimetype: part.mimetype ?? '',
    size: plain.length,
    sha256: createHash('sha256').update(plain).digest('hex'),
    ...((await isReadable(kind, plain)) ? {} : { isUnreadable: true }),
  }
}

const PICTURES = ['image/jpeg', 'image/png', 'image/webp']

/** By the first bytes: the apps show neither SVG nor GIF as a picture (a GIF is a video there), and play no broken files. */
async function isReadable(kind: MediaKind, plain: Buffer): Promise<boolean> {
  const isPicture = kind === 'image' || kind === 'sticker' || kind === 'link'
  if (!isPicture && kind !== 'audio' && kind !== 'video') return true
  const { mime = '' } = (await fileTypeFromBuffer(plain)) ?? {}
  // Containers of video may have sound alone.
  return isPicture ? PICTURES.includes(mime) : /^(audio|video)\/|^application\/ogg$/.test(mime)
}
