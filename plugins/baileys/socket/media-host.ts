import type { MediaConnInfo, SocketConfig, WASocket } from '@whiskeysockets/baileys'
import { testHooks } from 'wamux/plugin'
import {
  DEFAULT_CONNECTION_CONFIG,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getWAUploadToServer,
} from '../baileys.ts'
import { queryOf } from '../protocol/query.ts'

/** What is used and changed of a socket. */
export type Uploader = Pick<WASocket, 'query'> &
  Partial<Pick<WASocket, 'refreshMediaConn' | 'waUploadToServer'>>

const ASK = { tag: 'media_conn', attrs: {} }

/**
 * Asks which media host to upload to. Baileys keeps the first answer even if there was none (Socket/messages-send.js
 * refreshMediaConn): after one unanswered query no upload of that link succeeds any more. Here a failure is forgotten.
 */
export function patchUploads(wa: Uploader, config: SocketConfig): void {
  if (testHooks.unpatched.has('media-host')) return
  let kept: MediaConnInfo | undefined
  async function refreshMediaConn(isForced = false): Promise<MediaConnInfo> {
    if (kept && !isForced && Date.now() - kept.fetchDate.getTime() < kept.ttl * 1000) return kept
    const iq = { tag: 'iq', attrs: { type: 'set', xmlns: 'w:m', to: 's.whatsapp.net' }, content: [ASK] }
    const found = getBinaryNodeChild(await queryOf(wa)(iq, 'find the media host'), 'media_conn')
    const { auth = '', ttl } = found?.attrs ?? {}
    const hosts = getBinaryNodeChildren(found, 'host').map(({ attrs }) => ({
      hostname: attrs['hostname'] ?? '',
      maxContentLengthBytes: Number(attrs['maxContentLengthBytes']),
    }))
    kept = { auth, ttl: Number(ttl), hosts, fetchDate: new Date() }
    return kept
  }
  Object.assign(wa, { refreshMediaConn, waUploadToServer: getWAUploadToServer(config, refreshMediaConn) })
}

/** A look-up that fails is not kept: the next one asks again. */
export async function isUploadPatched(): Promise<boolean> {
  let asked = 0
  const wa: Uploader = {
    query: async () => {
      asked += 1
      throw new Error('nobody answers')
    },
  }
  patchUploads(wa, DEFAULT_CONNECTION_CONFIG as SocketConfig)
  for (let attempt = 0; attempt < 2; attempt += 1) await wa.refreshMediaConn?.(false).catch(() => undefined)
  return asked === 2
}
