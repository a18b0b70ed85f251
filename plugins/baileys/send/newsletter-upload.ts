import { readFile } from 'node:fs/promises'
import type { WAMediaUploadFunction, WASocket } from '@whiskeysockets/baileys'
import type { Dispatcher } from 'undici'

export interface NewsletterUpload {
  upload: WAMediaUploadFunction
  /** The `media_id` of the post; undefined before the upload. */
  handle(): string | undefined
}

const UPLOAD_MS = 60_000

/**
 * Newsletter files are not encrypted and have their own upload path; the post names the handle that the media host
 * assigned. Unpatched Baileys uploads them to the path of encrypted files and drops the handle (Utils/messages-media.js
 * getWAUploadToServer, MEDIA_PATH_MAP).
 */
export function newsletterUpload(wa: WASocket, dispatcher: Dispatcher | undefined): NewsletterUpload {
  let handle: string | undefined
  return {
    handle: () => handle,
    async upload(file, { fileEncSha256B64, mediaType }) {
      const { hosts, auth } = await wa.refreshMediaConn(false)
      const folder = `newsletter-${mediaType === 'sticker' ? 'image' : mediaType}`
      const token = Buffer.from(fileEncSha256B64, 'base64').toString('base64url')
      const query = new URLSearchParams({ auth, token })
      // Loaded with the first file: undici has a hundred modules.
      const { request } = await import('undici')
      const { statusCode, body } = await request(
        `https://${hosts[0]?.hostname}/newsletter/${folder}/${token}?${query}`,
        {
          method: 'POST',
          body: await readFile(file as string),
          signal: AbortSignal.timeout(UPLOAD_MS),
          ...(dispatcher ? { dispatcher } : {}),
        },
      )
      const answer = (await body.json()) as { url?: string; direct_path?: string; handle?: string }
      if (statusCode !== 200 || !answer.handle) throw new Error(`the media host answered ${statusCode}`)
      handle = answer.handle
      return { mediaUrl: answer.url ?? '', directPath: answer.direct_path ?? '' }
    },
  }
}
