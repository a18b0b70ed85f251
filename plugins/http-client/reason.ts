/** An error of this plugin, with a public message and a cause for the operator. */
export class FetchRefusal extends Error {
  override readonly name = 'Refusal'
}

/**
 * Converts the error of an exchange to a public one: resolved addresses and the certificate of an internal host stay in
 * the cause.
 */
export function publicError(error: unknown): Error {
  if (error instanceof FetchRefusal) return error
  const { name, code } = error as { name?: string; code?: unknown }
  const known = typeof code === 'string' ? code : String(name)
  return new Error(`${wordsOf(known)} (${known})`, { cause: error })
}

/** All details of a failure, for the operator. */
export function innerReason({ cause, message, errors = [] }: Error & { errors?: Error[] }): string {
  if (cause instanceof Error) return innerReason(cause)
  return [message, ...errors.map(innerReason)].filter(Boolean).join('; ')
}

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve',
  ECONNREFUSED: 'the host refused the connection',
  EHOSTUNREACH: 'the host is not reachable',
  ENETUNREACH: 'the host is not reachable',
  ETIMEDOUT: 'the host is not reachable',
  UND_ERR_CONNECT_TIMEOUT: 'the host is not reachable',
  ECONNRESET: 'the host closed the connection',
  EPIPE: 'the host closed the connection',
  UND_ERR_SOCKET: 'the host closed the connection',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  TimeoutError: 'timeout',
}

function wordsOf(code: string): string {
  const words = WORDS[code]
  if (words) return words
  if (/^(EPROTO|ERR_SSL)/.test(code)) return 'the TLS handshake failed'
  return /CERT|SELF_SIGNED|VERIFY|ERR_TLS/.test(code) ? 'the certificate is not valid' : 'the request failed'
}
