import { type ErrorCode, type GatewayError, gatewayError, isGatewayError, reasonOf } from 'wamux/plugin'

interface Boom {
  message?: string
  data?: unknown
  output?: { statusCode?: number }
}

/**
 * What a failed query means to a client. The network's code is in `data`: Baileys answers status 500 for all
 * (Utils/generics.js assertNodeErrorFree).
 *
 * @param verb what was tried, for the text: `Failed to <verb>: …`.
 */
export function refusalOf(error: unknown, verb: string): GatewayError {
  if (isGatewayError(error)) return error
  const { data, output, message = '' } = (error ?? {}) as Boom
  const code = typeof data === 'number' ? data : Number((data as { code?: number } | undefined)?.code ?? 0)
  if (code === 401 || code === 403)
    return gatewayError('NETWORK_FORBIDDEN', [`${message} (${code})`], { cause: error })
  if (code === 429) return gatewayError('NETWORK_LIMITED', [], { cause: error })
  // An unanswered query has either, by who ended it.
  if (code === 408 || output?.statusCode === 408) return gatewayError('NETWORK_SILENT', [], { cause: error })
  return gatewayError('NETWORK_FAILED', [verb, code ? `${message} (${code})` : reasonOf(error)], {
    cause: error,
  })
}

/** What a refused message means: the code of its ack. 463 is the lock on writing to strangers (Baileys#2441). */
export function refusalOfAck(code: string): GatewayError {
  if (code === '463')
    return gatewayError('NETWORK_FORBIDDEN', ['this account may not write to new contacts now (463)'])
  if (code === '401' || code === '403')
    return gatewayError('NETWORK_FORBIDDEN', [`not allowed in this chat (${code})`])
  if (code === '429') return gatewayError('NETWORK_LIMITED')
  return gatewayError('SEND_FAILED', [`refused with code ${code}`])
}

/** A refusal as text for a row, to be answered again. */
export function keep({ code, message }: GatewayError): string {
  return `${code} ${message}`
}

export function keptRefusal(text: string): GatewayError {
  const [code = 'SEND_FAILED', ...words] = text.split(' ')
  return Object.assign(gatewayError(code as ErrorCode), { message: words.join(' ') })
}
