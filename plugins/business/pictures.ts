import { type GatewayServices, gatewayError, type LiveSession } from 'wamux/plugin'

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
    const { direct_path: path } = await session.socket.uploadOpen(file, 'product-catalog-image')
    urls.push(`https://mmg.whatsapp.net${path}`)
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
