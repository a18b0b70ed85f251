import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { gatewayError, type Socket, withTimeout } from 'wamux/plugin'
import { decodeMediaRetryNode, decryptMediaRetryData, encryptMediaRetryRequest, proto } from '../baileys.ts'
import { refusalOf } from '../protocol/refusal.ts'

const { SUCCESS, NOT_FOUND, DECRYPTION_ERROR } = proto.MediaRetryNotification.ResultType
const ANSWER = 'CB:notification,type:mediaretry'
const VERB = 'have the file uploaded again'

/**
 * Asks the account's phone to reupload a file that has expired on the media host. Replaces Baileys' updateMediaMessage
 * (Socket/messages-send.js), which waits without limit for a phone that is off.
 */
export function reuploadOf(wa: WASocket, timeoutMs: number): Socket['reupload'] {
  return async (message, mediaKey) => {
    const request = encryptMediaRetryRequest(message, mediaKey, wa.user?.id ?? '')
    const answered = answerTo(wa, message.id ?? '', timeoutMs)
    const [answer] = await Promise.all([answered, wa.sendNode(request)]).catch((error: unknown) => {
      throw refusalOf(error, VERB)
    })
    const { result, directPath } = readAnswer(answer, mediaKey)
    if (result === SUCCESS && directPath) return directPath
    if (result === NOT_FOUND) throw gatewayError('FILE_EXPIRED')
    if (result === DECRYPTION_ERROR)
      throw gatewayError('FIELD_INVALID', [
        'MediaKey',
        'is not the key of the message, according to the phone',
      ])
    throw gatewayError('NETWORK_FAILED', [VERB, 'the phone could not do it'])
  }
}

function answerTo({ ws }: WASocket, id: string, timeoutMs: number): Promise<BinaryNode> {
  let stop = (): void => undefined
  const answer = new Promise<BinaryNode>((resolve, reject) => {
    const onAnswer = (node: BinaryNode): void => {
      if (node.attrs['id'] === id) resolve(node)
    }
    const onClose = (): void => reject(gatewayError('NETWORK_SILENT'))
    ws.on(ANSWER, onAnswer)
    ws.on('close', onClose)
    stop = () => {
      ws.off(ANSWER, onAnswer)
      ws.off('close', onClose)
    }
  })
  const onTimeout = (): never => {
    throw gatewayError('NETWORK_SILENT')
  }
  return withTimeout(answer, timeoutMs, onTimeout).finally(() => stop())
}

/** The answer is encrypted if the phone knows the key; otherwise it is only an error code. */
function readAnswer(node: BinaryNode, mediaKey: Uint8Array): proto.IMediaRetryNotification {
  try {
    const { key, media, error } = decodeMediaRetryNode(node)
    if (media) return decryptMediaRetryData(media, mediaKey, key.id ?? '')
    return { result: Number((error?.data as { code?: string } | undefined)?.code) }
  } catch (cause) {
    throw gatewayError('NETWORK_FAILED', [VERB, "the phone's answer can't be read"], { cause })
  }
}
