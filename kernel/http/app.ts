import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import helmet from 'koa-helmet'
import type { Gate } from '../auth.ts'
import { gatewayError } from '../errors.ts'
import type { Log } from '../types/driver.ts'
import type { Access, Route } from '../types/route.ts'
import type { Session } from '../types/session.ts'
import type { BodyCheck } from '../validate/body.ts'
import { answer, answerError } from './answer.ts'
import type { Auditor } from './audited.ts'
import type { JsonReader } from './body.ts'

/** A route, ready to be called: its body check compiled, its plugin's dependencies bound. */
export interface MountedRoute {
  readonly plugin: string
  readonly route: Route
  readonly check: BodyCheck | undefined
  call(request: unknown): Promise<unknown>
}

export interface AppParts {
  routes: readonly MountedRoute[]
  admit: Gate
  bodies: JsonReader
  auditor: Auditor
  /** Reverse proxies in front whose X-Forwarded-For is believed. */
  proxies: number
  log: Log
  /** Aborted when the gateway stops and its patience is over. */
  stopping: AbortSignal
}

/** The HTTP edge: envelope, access, body, handler; in that order for every route. */
export function createApp(parts: AppParts): Koa {
  const { log } = parts
  const app = new Koa()
  app.silent = true
  // Of X-Forwarded-For only what our own proxies wrote: each adds its client at the end, the rest anyone can make up.
  app.proxy = parts.proxies > 0
  app.maxIpsCount = parts.proxies
  // Plain http is normal inside a network, so nothing may force browsers to https.
  app.use(
    helmet({
      contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], upgradeInsecureRequests: null } },
      hsts: false,
    }),
  )
  app.use(async (ctx, next) => {
    const started = performance.now()
    ctx.state['id'] = randomUUID()
    ctx.set('X-Request-Id', ctx.state['id'] as string)
    ctx.set('Cache-Control', 'no-store')
    try {
      await next()
      if (ctx.status === 404 && ctx.body === undefined) throw gatewayError('ROUTE_UNKNOWN')
    } catch (error) {
      answerError(ctx, error, log)
    }
    const ms = Math.round(performance.now() - started)
    // The route's path only: a query may hold a token, and a parameter a number.
    const path = ctx.state['path'] ?? ctx.path
    log.info({ request: ctx.state['id'], method: ctx.method, path, status: ctx.status, ms }, 'request')
  })

  const router = new Router()
  for (const mounted of parts.routes) {
    const { method, path } = mounted.route
    router.register(path, [method], (ctx: Context) => serve(ctx, mounted, parts))
  }
  app.use(router.routes())
  app.use(
    router.allowedMethods({
      throw: true,
      methodNotAllowed: () => gatewayError('METHOD_UNKNOWN'),
      notImplemented: () => gatewayError('METHOD_UNKNOWN'),
    }),
  )
  return app
}

const NO_BODY = { value: undefined, release: (): void => undefined }

async function serve(ctx: Context, mounted: MountedRoute, parts: AppParts): Promise<void> {
  const { spec, path } = mounted.route
  ctx.state['path'] = path
  const query = new URLSearchParams(ctx.querystring)
  const token = ctx.get('token') || query.get('token') || ''
  const adminToken = ctx.get('admintoken') || (spec.adminInQuery ? (query.get('admintoken') ?? '') : '')
  const session = await parts.admit(spec.access ?? 'login', { token, adminToken, address: ctx.ip })
  // Where none is wanted none is read: it would take its place in the budget without a token.
  const { value, release } = mounted.check ? await parts.bodies.read(ctx.req) : NO_BODY
  const gone = new AbortController()
  const left = (): void => {
    if (!ctx.res.writableFinished) gone.abort(gatewayError('STOPPING'))
  }
  ctx.res.once('close', left)
  try {
    const request = {
      body: mounted.check?.(ctx.method === 'GET' ? { ...fromQuery(query), ...(value as object) } : value),
      session,
      query,
      params: (ctx as { params?: Record<string, string> }).params ?? {},
      header: (name: string) => ctx.get(name),
      signal: AbortSignal.any([gone.signal, parts.stopping]),
    }
    const who = { actor: actorOf(spec.access, session), address: ctx.ip, request: ctx.state['id'] as string }
    answer(ctx, await parts.auditor.run(mounted.route, who, () => mounted.call(request)))
  } finally {
    release()
  }
}

function actorOf(access: Access | undefined, session: Session | undefined): string {
  return access === 'admin' ? 'admin' : (session?.id ?? '')
}

/** A GET takes its fields from the query as well; credentials are none of them. */
function fromQuery(query: URLSearchParams): Record<string, string> {
  const fields = Object.fromEntries(query)
  delete fields['token']
  delete fields['admintoken']
  return fields
}
