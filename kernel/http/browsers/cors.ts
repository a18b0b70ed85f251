import koaCors from '@koa/cors'
import type { Middleware } from 'koa'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** Request headers that the interface reads, and response headers that pages need. */
const SENT = [
  'token',
  'admintoken',
  'authorization',
  'x-session',
  'content-type',
  'idempotency-key',
  'prefer',
]
const EXPOSED = ['X-Request-Id', 'Idempotent-Replay', 'X-Ignored-Fields', 'Retry-After', 'Link']
/** Seconds that a browser caches the answer to a preflight request. */
const MAX_AGE = 600

/**
 * Lets pages of the given origins call the interface and read its answers. Pages send tokens in headers that they set
 * themselves, so credentials mode, which is for cookies, stays off.
 *
 * @param origins exact ones, or `*`.
 */
export function cors(origins: readonly string[]): Middleware {
  const allowed = new Set(origins)
  return koaCors({
    origin: (ctx) => {
      if (allowed.has('*')) return '*'
      const origin = ctx.get('Origin')
      return allowed.has(origin) ? origin : ''
    },
    allowMethods: METHODS,
    allowHeaders: SENT,
    exposeHeaders: EXPOSED,
    maxAge: MAX_AGE,
  })
}
