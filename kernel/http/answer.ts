import type { ParameterizedContext } from 'koa'
import { type ErrorCode, gatewayError, isGatewayError } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type { Reply } from '../types/route.ts'

/** The fields that the log has of a request. */
export interface RequestState {
  id: string
  traceparent: string | undefined
  /** The route's pattern. */
  path?: string
  session?: string | undefined
  caller?: string
  /** Code of the error; absent on success. */
  errorCode?: ErrorCode
  /** The page about that error. */
  help?: string
}

export type RequestContext = ParameterizedContext<RequestState>

/** Answers with success in the envelope; a Reply is sent unchanged. */
export function answer(ctx: RequestContext, result: unknown): void {
  if (isReply(result)) {
    ctx.status = result.status
    ctx.set({ ...result.headers })
    ctx.body = result.body
    return
  }
  ctx.status = 200
  ctx.body = { code: 200, data: result ?? {}, success: true }
}

/** Where failures are logged, and the addresses of the pages about them. */
export interface ErrorAnswer {
  log: Log
  helpOf(code: ErrorCode): string | undefined
}

/** Answers with a failure in the envelope. An error from outside the table is a bug: logged in full, shown as "Internal error". */
export function answerError(ctx: RequestContext, error: unknown, { log, helpOf }: ErrorAnswer): void {
  const known = isGatewayError(error) ? error : gatewayError('INTERNAL')
  if (known.code === 'INTERNAL') {
    const { id: request, session, traceparent } = ctx.state
    log.error({ err: error, request, session, traceparent }, 'request failed')
  }
  ctx.status = known.status
  const wait = known.retryAfter ?? (known.status === 503 || known.status === 507 ? 2 : undefined)
  if (wait !== undefined) ctx.set('Retry-After', String(wait))
  ctx.state.errorCode = known.code
  const help = helpOf(known.code)
  if (help) {
    ctx.state.help = help
    // RFC 8288. A field of the body would be one more in the envelope, which is fixed.
    ctx.append('Link', `<${help}>; rel="help"`)
  }
  ctx.body = {
    code: known.status,
    error: known.message,
    errorCode: known.code,
    success: false,
    ...(known.details ? { details: known.details } : {}),
  }
}

export function isReply(result: unknown): result is Reply {
  return typeof result === 'object' && result !== null && '$type' in result && result.$type === 'wamux/reply'
}
