import { readFile } from 'node:fs/promises'
import type { WAMediaUploadFunction, WASocket } from '@whiskeysockets/baileys'
import { type Dispatcher, request } from 'undici'

export interface NewsletterUpload {
  upload: WAMediaUploadFunction
  /** What the post must name as `media_id`; undefined before an upload. */
  handle(): string | undefined
}

const UPLOAD_MS = 60_000

/**
 * Files of newsletters are not encrypted, go to a folder of their own, and the post names the handle that the
 * media host gave them. Stock rc14 sends them to the folder of encrypted files and drops the handle
 * (Utils/messages-media.js getWAUploadToServer, MEDIA_PATH_MAP).
 */
export function newsletterUpload(wa: WASocket, dispatcher: Dispatcher | undefined): NewsletterUpload {
  let given: string | undefined
  return {
    handle: () => given,
    async upload(file, { fileEncSha256B64, mediaType }) {
      const { hosts, auth } = await wa.refreshMediaConn(false)
      const folder = `newsletter-${mediaType === 'sticker' ? 'image' : mediaType}`
      const token = fileEncSha256B64.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
      const query = new URLSearchParams({ auth, token })
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
      if (statusCode !== 200 || !answer.handle) throw new Error(`media upload was answered ${statusCode}`)
      given = answer.handle
      return { mediaUrl: answer.url ?? '', directPath: answer.direct_path ?? '' }
    },
  }
}
