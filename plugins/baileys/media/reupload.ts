import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { gatewayError, type Socket } from 'wamux/plugin'
import { decodeMediaRetryNode, decryptMediaRetryData, encryptMediaRetryRequest, proto } from '../baileys.ts'
import { refusalOf } from '../protocol/refusal.ts'

const { SUCCESS, NOT_FOUND, DECRYPTION_ERROR } = proto.MediaRetryNotification.ResultType
const ANSWER = 'CB:notification,type:mediaretry'
const VERB = 'have the file uploaded again'

/**
 * Asks the account's own phone for a file that has expired on the media host. Not Baileys' updateMediaMessage
 * (Socket/messages-send.js): that one waits for ever for a phone that is off.
 */
export function reuploadOf(wa: WASocket, timeoutMs: number): Socket['reupload'] {
  return async (message, mediaKey) => {
    const request = encryptMediaRetryRequest(message, mediaKey, wa.user?.id ?? '')
    const heard = answerTo(wa, message.id ?? '', timeoutMs)
    const [answer] = await Promise.all([heard, wa.sendNode(request)]).catch((error: unknown) => {
      throw refusalOf(error, VERB)
    })
    const { result, directPath } = readAnswer(answer, mediaKey)
    if (result === SUCCESS && directPath) return directPath
    if (result === NOT_FOUND) throw gatewayError('FILE_EXPIRED')
    if (result === DECRYPTION_ERROR)
      throw gatewayError('FIELD_INVALID', ['MediaKey', 'is not that of the message, says the phone'])
    throw gatewayError('NETWORK_FAILED', [VERB, 'the phone could not do it'])
  }
}

function answerTo(wa: WASocket, id: string, timeoutMs: number): Promise<BinaryNode> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(limit)
      wa.ws.off(ANSWER, hear)
      wa.ws.off('close', fail)
      settle()
    }
    const hear = (node: BinaryNode): void => {
      if (node.attrs['id'] === id) end(() => resolve(node))
    }
    const fail = (): void => end(() => reject(gatewayError('NETWORK_SILENT')))
    const limit = setTimeout(fail, timeoutMs)
    wa.ws.on(ANSWER, hear)
    wa.ws.on('close', fail)
  })
}

/** In secret where the phone knows the key, else only a code. */
function readAnswer(node: BinaryNode, mediaKey: Uint8Array): proto.IMediaRetryNotification {
  try {
    const { key, media, error } = decodeMediaRetryNode(node)
    if (media) return decryptMediaRetryData(media, mediaKey, key.id ?? '')
    return { result: Number((error?.data as { code?: string } | undefined)?.code) }
  } catch (cause) {
    throw gatewayError('NETWORK_FAILED', [VERB, "the phone's answer can't be read"], { cause })
  }
}
