import koaCors from '@koa/cors'
import type { Middleware } from 'koa'
import helmet from 'koa-helmet'
import { gatewayError } from '../errors.ts'
import { createApp } from '../http/app.ts'
import { createAuthorize } from '../http/auth.ts'
import { createBodyReader } from '../http/body.ts'
import { createWebSockets } from '../http/browsers/web-sockets.ts'
import { listen } from '../http/server.ts'
import type { GatewayOptions } from '../options.ts'
import type { Core } from './core.ts'
import { mountAround, mountFirst, mountPermit, mountRoutes } from './mount.ts'

/** The HTTP side of a running gateway. */
export interface Edge {
  readonly url: string
  /** Lets running requests finish; aborts them and ends the links after the grace period. */
  close(): Promise<void>
}

/** How long running requests may take once the stop has begun. */
const GRACE_MS = 3_000

export async function startEdge(
  options: GatewayOptions,
  {
    running,
    sessions,
    events,
    activity,
    streams,
    contributions,
  }: Pick<Core, 'contributions' | 'running' | 'sessions' | 'events' | 'activity' | 'streams'>,
): Promise<Edge> {
  const { corsOrigins = [] } = options
  const webSockets = createWebSockets(corsOrigins)
  const helps = contributions('errorHelp')
  const stopping = new AbortController()
  const app = createApp({
    routes: mountRoutes(running, activity),
    activity,
    around: mountAround(contributions('around')),
    permit: mountPermit(contributions('permit')),
    authorize: createAuthorize({
      adminToken: options.adminToken,
      sessions,
      authenticate: mountFirst(contributions('authenticate')),
      login: mountFirst(contributions('login')),
    }),
    streams,
    bodies: createBodyReader({ each: options.bodyLimit }),
    events,
    middleware: [securityHeaders(), ...(corsOrigins.length > 0 ? [cors(corsOrigins)] : [])],
    webSockets,
    strictBodies: options.strictBodies ?? false,
    proxies: options.trustProxy ?? 0,
    log: options.log,
    helpOf: (code) => helps.map(({ value }) => value(code)).find((address) => address !== undefined),
    stopping: stopping.signal,
  })
  const server = await listen(app, webSockets, options)
  return {
    url: server.url,
    close: () =>
      server.close(GRACE_MS, async () => {
        stopping.abort(gatewayError('STOPPING'))
        await sessions.stop()
      }),
  }
}

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
function cors(origins: readonly string[]): Middleware {
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

/** Helmet's headers, which are the same on every answer and therefore built once. Run this before any other middleware. */
function securityHeaders(): Middleware {
  // Plain HTTP is normal inside a network, so no header must force browsers to HTTPS.
  const make = helmet({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], upgradeInsecureRequests: null } },
    hsts: false,
  })
  let headers: Record<string, string> | undefined
  return async (ctx, next) => {
    if (headers) ctx.set(headers)
    else {
      await make(ctx, async () => undefined)
      headers = { ...ctx.response.headers } as Record<string, string>
    }
    await next()
  }
}
