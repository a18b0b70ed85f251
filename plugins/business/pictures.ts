import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GatewayServices, gatewayError, isGatewayError, type LiveSession, reasonOf } from 'wamux/plugin'

const TIMEOUT_MS = 30_000

/** Uploads pictures to the media host, unencrypted as catalogues require; returns their addresses. */
export async function uploadPictures(
  session: LiveSession,
  media: GatewayServices['media'],
  pictures: readonly string[],
): Promise<string[]> {
  // All are checked before the first upload.
  const files = await Promise.all(pictures.map((picture) => jpegOrPng(media, session.id, 'images', picture)))
  const urls: string[] = []
  for (const file of files) {
    const { directPath } = await upload(session, file, 'product-catalog-image')
    urls.push(`https://mmg.whatsapp.net${directPath}`)
  }
  return urls
}

export async function jpegOrPng(
  media: GatewayServices['media'],
  session: string,
  field: string,
  picture: string,
): Promise<Buffer> {
  const { bytes, mime } = await media.of(session).image(field, picture)
  if (mime !== 'image/jpeg' && mime !== 'image/png')
    throw gatewayError('MEDIA_UNSUPPORTED', [field, `${mime} is neither JPEG nor PNG`])
  return bytes
}

type Upload = LiveSession['socket']['wa']['waUploadToServer']

/** Uploads a picture unencrypted. Baileys uploads from a file only. */
export async function upload(
  session: LiveSession,
  bytes: Buffer,
  mediaType: 'product-catalog-image' | 'biz-cover-photo',
): Promise<Awaited<ReturnType<Upload>>> {
  const folder = await mkdtemp(join(tmpdir(), 'wamux-'))
  const file = join(folder, 'picture')
  try {
    await writeFile(file, bytes)
    return await session.socket.wa.waUploadToServer(file, {
      mediaType,
      fileEncSha256B64: createHash('sha256').update(bytes).digest('base64'),
      timeoutMs: TIMEOUT_MS,
    })
  } catch (cause) {
    if (isGatewayError(cause)) throw cause
    throw gatewayError('UPLOAD_FAILED', [reasonOf(cause)], { cause })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
