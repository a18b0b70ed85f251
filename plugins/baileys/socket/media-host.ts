import type { MediaConnInfo, WASocket } from '@whiskeysockets/baileys'
import { getBinaryNodeChild, getBinaryNodeChildren } from '../baileys.ts'
import { omitted } from '../patches/omitted.ts'
import { iq, type QuerySocket, queryOf } from '../protocol/query.ts'

/** The part of a socket that is used and changed. */
export type Uploader = QuerySocket & Partial<Pick<WASocket, 'refreshMediaConn'>>

const ASK = { tag: 'media_conn', attrs: {} }

/**
 * Replaces the look-up of the media host for uploads. Baileys caches the first result even if it is a failure
 * (Socket/messages-send.js refreshMediaConn): after one unanswered query no upload of that link succeeds. Here failures are
 * not cached.
 */
export function patchUploads(wa: Uploader): void {
  if (omitted.patches.has('media-host')) return
  let cached: MediaConnInfo | undefined
  async function refreshMediaConn(isForced = false): Promise<MediaConnInfo> {
    if (cached && !isForced && Date.now() - cached.fetchDate.getTime() < cached.ttl * 1000) return cached
    const reply = await queryOf(wa)(iq('w:m', 'set', ASK), 'find the media host')
    const found = getBinaryNodeChild(reply, 'media_conn')
    const { auth = '', ttl } = found?.attrs ?? {}
    const hosts = getBinaryNodeChildren(found, 'host').map(({ attrs }) => ({
      hostname: attrs['hostname'] ?? '',
      maxContentLengthBytes: Number(attrs['maxContentLengthBytes']),
    }))
    cached = { auth, ttl: Number(ttl), hosts, fetchDate: new Date() }
    return cached
  }
  Object.assign(wa, { refreshMediaConn })
}

/** A failed look-up is not cached: the next one queries again. */
export async function isUploadPatched(): Promise<boolean> {
  let queries = 0
  const wa: Uploader = {
    generateMessageTag: () => 'probe',
    sendNode: async () => {
      queries += 1
    },
    waitForMessage: async () => {
      throw new Error('no answer')
    },
  }
  patchUploads(wa)
  for (let attempt = 0; attempt < 2; attempt += 1) await wa.refreshMediaConn?.(false).catch(() => undefined)
  return queries === 2
}
