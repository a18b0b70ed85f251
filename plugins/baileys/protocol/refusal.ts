import { isPassing } from 'wamux/messaging'
import { type ErrorCode, type GatewayError, gatewayError, isGatewayError, reasonOf } from 'wamux/plugin'
import type { Built } from './built.ts'

/** The parts of a Baileys error that are read here. */
export interface Boom {
  message?: string
  data?: unknown
  /** Seconds, from our own queries (query.ts). */
  backoff?: number
  output?: { statusCode?: number }
}

/**
 * The table's error for a failed query. The network's code is in `data`: Baileys gives all of them status 500
 * (Utils/generics.js assertNodeErrorFree).
 *
 * @param verb the failed action, for the text `Failed to <verb>: …`.
 * @param about the group or newsletter concerned, if it may not exist.
 */
export function refusalOf(error: unknown, verb: string, about = ''): GatewayError {
  if (isGatewayError(error)) return error
  const { output, message = '', backoff = 0 } = (error ?? {}) as Boom
  const code = refusalCode(error)
  const cause = { cause: error, ...(backoff > 0 ? { retryAfter: backoff } : {}) }
  if (code === 401 || code === 403)
    return gatewayError('NETWORK_FORBIDDEN', [`${message} (${code})`], { cause: error })
  if (code === 404)
    return about
      ? gatewayError('ITEM_UNKNOWN', [about], { cause: error })
      : gatewayError('NETWORK_UNKNOWN', [verb, `${message} (${code})`], { cause: error })
  if (code === 429) return gatewayError('NETWORK_LIMITED', [], cause)
  // If the link ends, a waiting query rejects with the close code of the WebSocket (Socket/socket.js waitForMessage).
  if (typeof error === 'number')
    return gatewayError('NETWORK_SILENT', [], { details: 'the link was closed', cause: error })
  // Codes of an unanswered query: the first comes from our deadline, the second from Baileys'.
  if (code === 408 || output?.statusCode === 408) return gatewayError('NETWORK_SILENT', [], { cause: error })
  return gatewayError('NETWORK_FAILED', [verb, code ? `${message} (${code})` : reasonOf(error)], cause)
}

/** The network's code in a Baileys error; 0 if there is none. */
export function refusalCode(error: unknown): number {
  const { data } = (error ?? {}) as Boom
  return typeof data === 'number' ? data : Number((data as { code?: number } | undefined)?.code ?? 0)
}

/** The network has trouble, or no time for this now. */
const UNAVAILABLE = /^(408|5\d\d)$/
/** Seconds after which a client may retry. */
const UNAVAILABLE_SECONDS = 5

/**
 * The table's error for the code of a refusing ack; send/tokens/new-chat-refusals.ts handles those of new chats. 404: the chat
 * does not exist, or the message that this one reacts to, changes or deletes.
 */
export function refusalOfAck(code: string, { chat, message }: Pick<Built, 'chat' | 'message'>): GatewayError {
  if (code === '401' || code === '403')
    return gatewayError('NETWORK_FORBIDDEN', [`not allowed in this chat (${code})`])
  if (code === '404') {
    const isAct = message.protocolMessage || message.reactionMessage
    return isAct ? gatewayError('MESSAGE_UNKNOWN') : gatewayError('NOT_ON_NETWORK', [chat])
  }
  if (code === '429') return gatewayError('NETWORK_LIMITED')
  if (UNAVAILABLE.test(code))
    return gatewayError('NETWORK_UNAVAILABLE', [code], { retryAfter: UNAVAILABLE_SECONDS })
  return gatewayError('SEND_FAILED', [`refused with code ${code}`])
}

/** The text under which a refusal is stored in a row. */
export function keep({ code, message }: GatewayError): string {
  return `${code} ${message}`
}

/** The refusal in a stored text; undefined if it is temporary and the message may be attempted again. */
export function finalRefusal(text: string): GatewayError | undefined {
  const refusal = keptRefusal(text)
  return isPassing(refusal) ? undefined : refusal
}

/** The inverse of `keep`. */
export function keptRefusal(text: string): GatewayError {
  const [code = 'SEND_FAILED', ...words] = text.split(' ')
  return Object.assign(gatewayError(code as ErrorCode), { message: words.join(' ') })
}
