import type { ErrorCode } from './types.ts'

export interface ErrorFields {
  code: number
  errorCode: string
  details?: string | undefined
  retryAfter?: number | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** A call that failed: refused by the gateway, or without an answer of it. */
export class WamuxError extends Error {
  /** The HTTP status; 0 without an answer. */
  readonly code: number
  /**
   * For programs. NETWORK: the gateway was not reached, or its answer was cut off; TIMEOUT: it took too long; UNREADABLE: an
   * answer that does not come from the gateway, for example a proxy's.
   */
  readonly errorCode: ErrorCode | 'NETWORK' | 'TIMEOUT' | 'UNREADABLE' | (string & {})
  /** More about the cause. */
  readonly details: string | undefined
  /** Seconds until another try makes sense, where the gateway names them. */
  readonly retryAfter: number | undefined
  /** Id of the request in the log of the gateway. */
  readonly requestId: string | undefined

  constructor(message: string, { code, errorCode, details, retryAfter, requestId, cause }: ErrorFields) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'WamuxError'
    this.code = code
    this.errorCode = errorCode
    this.details = details
    this.retryAfter = retryAfter
    this.requestId = requestId
  }
}
