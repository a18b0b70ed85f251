import type { ParameterizedContext } from 'koa'
import { gatewayError, isGatewayError } from '../errors.ts'
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

/** Answers with a failure in the envelope. An error from outside the table is a bug: logged in full, shown as "Internal error". */
export function answerError(ctx: RequestContext, error: unknown, log: Log): void {
  const known = isGatewayError(error) ? error : gatewayError('INTERNAL')
  if (known.code === 'INTERNAL') {
    const { id: request, session, traceparent } = ctx.state
    log.error({ err: error, request, session, traceparent }, 'request failed')
  }
  ctx.status = known.status
  const wait = known.retryAfter ?? (known.status === 503 || known.status === 507 ? 2 : undefined)
  if (wait !== undefined) ctx.set('Retry-After', String(wait))
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
