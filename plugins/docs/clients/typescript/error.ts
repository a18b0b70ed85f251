import type { ErrorCode } from './types.ts'

export interface ErrorFields {
  code: number
  errorCode: string
  details?: string | undefined
  retryAfter?: number | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** A failed call: the gateway refused it or did not answer. */
export class WamuxError extends Error {
  /** The HTTP status; 0 without an answer. */
  readonly code: number
  /**
   * Machine-readable. NETWORK: the gateway was not reached, or its answer was cut off; TIMEOUT: it took too long; UNREADABLE: the
   * answer does not come from the gateway but, for example, from a proxy.
   */
  readonly errorCode: ErrorCode | 'NETWORK' | 'TIMEOUT' | 'UNREADABLE' | (string & {})
  /** More about the cause, if the gateway gives it. */
  readonly details: string | undefined
  /** Seconds to wait before another attempt, if the gateway gives them. */
  readonly retryAfter: number | undefined
  /** Id of the request in the gateway's log. */
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
