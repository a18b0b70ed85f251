import './before.ts'
import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getWAUploadToServer,
  type MediaConnInfo,
  type SocketConfig,
  type WASocket,
} from '@whiskeysockets/baileys'
import { queryOf } from './query.ts'

const ASK = { tag: 'media_conn', attrs: {} }

/**
 * Asks which media host to upload to. Baileys keeps the first answer even if there was none (Socket/messages-send.js
 * refreshMediaConn): after one unanswered query no upload of that link succeeds any more. Here a failure is forgotten.
 */
export function mendUploads(wa: WASocket, config: SocketConfig): void {
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
