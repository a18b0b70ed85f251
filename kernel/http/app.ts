import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import Koa, { type Middleware } from 'koa'
import { gatewayError } from '../errors.ts'
import type { Events } from '../types/events.ts'
import type { CallerRequest, Credentials, Route, RouteCall } from '../types/route.ts'
import type { Activity, Underway } from '../watchdog/activity.ts'
import { answer, answerError, type ErrorAnswer, type RequestContext, type RequestState } from './answer.ts'
import { type Authorize, takesAdmin } from './auth.ts'
import type { BodyCheck } from './bodies/check.ts'
import type { BodyReader } from './body.ts'
import type { WebSockets } from './browsers/web-sockets.ts'
import { assertHeaders, assertParams, assertPath, assertQuery, headerOf } from './request-bounds.ts'
import { createRouting, type Routed, type Routing } from './routing.ts'
import { afterAnswer, entered, isStream, isStreamed, type Streams } from './streams.ts'
import { checkQuery, fieldsInQuery, unknownFields } from './unknown-fields.ts'
import { stopUpload } from './upload.ts'
import { viewerOf } from './viewer.ts'

/** A route, ready to be called: bound to its body check and its plugin's dependencies. */
export interface MountedRoute {
  readonly route: Route
  readonly check: BodyCheck | undefined
  /** Its index among the activities that the watchdog tracks. */
  readonly work: number
  call(request: unknown): Promise<unknown>
}

export type Around = (call: RouteCall, next: () => Promise<unknown>) => Promise<unknown>

export interface AppParts extends ErrorAnswer {
  routes: readonly MountedRoute[]
  activity: Activity
  authorize: Authorize
  streams: Streams
  bodies: BodyReader
  events: Pick<Events, 'lane'>
  /** Runs around every route. */
  around: Around
  /** Rejects a call that is not allowed, before its handler. */
  permit(request: CallerRequest): Promise<void>
  /** Runs before the routes, for every request. */
  middleware: readonly Middleware[]
  webSockets: WebSockets
  /** Refuses unknown fields on every route. */
  strictBodies: boolean
  /** Number of reverse proxies in front whose X-Forwarded-For is trusted. */
  proxies: number
  /** Aborted when the gateway stops and the grace period is over. */
  stopping: AbortSignal
}

/** The HTTP edge: envelope, access, body and handler, in this order for every route. */
export function createApp(parts: AppParts): Koa<RequestState> {
  const { log } = parts
  const app = new Koa<RequestState>()
  app.silent = true
  // Each proxy appends its client to X-Forwarded-For: only the entries of our own proxies can be trusted.
  app.proxy = parts.proxies > 0
  app.maxIpsCount = parts.proxies
  for (const one of parts.middleware) app.use(one)
  app.use(async (ctx, next) => {
    const started = performance.now()
    ctx.state = { id: randomUUID(), traceparent: readTraceparent(ctx.get('traceparent')) }
    ctx.set('X-Request-Id', ctx.state.id)
    ctx.set('Cache-Control', 'no-store')
    try {
      assertPath(ctx.req.url)
      assertHeaders(ctx.req.headers)
      await next()
    } catch (error) {
      answerError(ctx, error, parts)
    }
    stopUpload(ctx)
    const ms = Math.round(performance.now() - started)
    // Logs only the route's pattern: a query or an unknown path may contain a token, a parameter a person's number.
    const { id: request, path = '(unknown)', session, caller, traceparent, errorCode, help } = ctx.state
    log.info(
      {
        request,
        session,
        caller,
        traceparent,
        method: ctx.method,
        path,
        status: ctx.status,
        ms,
        errorCode,
        help,
      },
      'request',
    )
  })

  const routing = createRouting(parts.routes)
  app.use((ctx) => {
    const routed = routing.find(ctx.method, ctx.path)
    return routed ? serve(ctx, routed, parts) : refuse(ctx, routing)
  })
  return app
}

/** Answers OPTIONS; throws METHOD_UNKNOWN with the methods of the path, or ROUTE_UNKNOWN with the route that was meant. */
function refuse(ctx: RequestContext, routing: Routing<MountedRoute>): void {
  const { method, path } = ctx
  const allowed = routing.allowed(path)
  const nearest = routing.isFixed(path) ? undefined : routing.nearest(method, path)
  // A mistyped path may match the pattern of other routes: `POST /send/txt`, `GET /send/:id`.
  const isMistyped = nearest?.startsWith(`${method} `)
  if (allowed.length === 0 || isMistyped) {
    const details = nearest ? `unknown route; the nearest is ${nearest}` : 'unknown route'
    throw gatewayError('ROUTE_UNKNOWN', [], { details })
  }
  ctx.set('Allow', allowed.join(', '))
  if (method !== 'OPTIONS') throw gatewayError('METHOD_UNKNOWN')
  ctx.status = 200
  ctx.body = ''
}

async function serve(ctx: RequestContext, routed: Routed<MountedRoute>, parts: AppParts): Promise<void> {
  const { found: mounted } = routed
  const { route } = mounted
  ctx.state.path = route.path
  const request = ctx.state.id
  const call = {
    route,
    address: ctx.ip,
    request,
    raw: ctx.req,
    body: undefined,
    checked: undefined,
    hasToken: false,
    mayBeAdmin: false,
    actor: '',
    session: '',
    isHandled: false,
    upgrade: () => parts.webSockets.open(ctx),
  }
  const underway = parts.activity.begin(mounted.work)
  const result = await parts
    .around(call, () => run(ctx, routed, parts, { call, underway }))
    .finally(underway.end)
  if (ctx.respond !== false) answer(ctx, result)
}

/** Access, body and handler; records in `call` how far the request got. */
async function run(
  ctx: RequestContext,
  { found: mounted, params }: Routed<MountedRoute>,
  parts: AppParts,
  { call, underway }: { call: { -readonly [K in keyof RouteCall]: RouteCall[K] }; underway: Underway },
): Promise<unknown> {
  const { route } = mounted
  const query = new URLSearchParams(ctx.querystring)
  assertParams(params)
  assertQuery(query)
  const credentials = credentialsOf(ctx, query, route)
  const { token, adminToken } = credentials
  call.hasToken = (route.spec.access === 'admin' ? adminToken : token || adminToken) !== ''
  call.mayBeAdmin = adminToken !== '' && takesAdmin(route, credentials)
  const { actor, session, caller, ended } = await parts.authorize(route, credentials, (id) => {
    ctx.state.caller = id
  })
  call.actor = actor
  call.session = session?.id ?? ''
  ctx.state.session = session?.id
  let signal: AbortSignal | undefined
  const enter = () => parts.streams.enter({ actor, session }, ctx.path)
  let leave = isStream(route, query) ? enter() : undefined
  try {
    // A route without a body schema reads no body: without a token, it would count against the budget.
    if (mounted.check) call.body = await parts.bodies.json(ctx.req)
    const onUnknown = unknownFields(ctx, route, parts.strictBodies)
    checkQuery(route, query, onUnknown)
    const request = {
      body: underway.run(call.session, () =>
        mounted.check?.(
          route.method === 'GET' ? { ...fieldsInQuery(route, query), ...(call.body as object) } : call.body,
          onUnknown,
        ),
      ),
      session,
      caller,
      viewer: viewerOf(
        { actor, ...(session ? { session } : {}), ...(caller ? { caller } : {}) },
        parts.events,
      ),
      query,
      params,
      header: (name: string) => headerOf(ctx.req.headers, name),
      traceparent: ctx.state.traceparent,
      // Created lazily, for the few handlers that read it.
      get signal() {
        const ends = [goneSignal(ctx.res), parts.stopping, ended?.()].filter((end) => end !== undefined)
        signal ??= AbortSignal.any(ends)
        return signal
      },
      raw: ctx.req,
      bytes: (limit: number) => parts.bodies.bytes(ctx.req, limit),
      form: (limit: number) => parts.bodies.form(ctx.req, limit),
      upgrade() {
        leave ??= enter()
        return call.upgrade()
      },
    }
    call.checked = request.body
    const { body, header } = request
    const asked = { route, body, params, session, header }
    await caller?.permit?.(asked)
    await parts.permit(asked)
    call.isHandled = true
    const result = await underway.run(call.session, () => mounted.call(request))
    if (!leave && isStreamed(result)) leave = entered(result, enter)
    return result
  } finally {
    parts.bodies.release(ctx.req)
    // A WebSocket has already been answered.
    if (leave && ctx.respond === false) leave()
    else if (leave) afterAnswer(ctx.res, leave)
  }
}

/** The interface's own names take precedence; a bearer token may be either kind. */
function credentialsOf(ctx: RequestContext, query: URLSearchParams, { spec }: Route): Credentials {
  const bearer = /^Bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  const inQuery = spec.adminInQuery ? query.get('admintoken') : undefined
  return {
    token: ctx.get('token') || query.get('token') || bearer,
    adminToken: ctx.get('admintoken') || inQuery || bearer,
    header: (name) => headerOf(ctx.req.headers, name),
  }
}

/** Aborted when the client disconnects before it has the whole answer. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const onClose = (): void => {
    if (!response.writableFinished) gone.abort(gatewayError('STOPPING'))
  }
  if (response.closed) onClose()
  else response.once('close', onClose)
  return gone.signal
}
/**
 * The `traceparent` of a request (W3C Trace Context), as version 00, which later versions extend. Undefined if it is absent
 * or invalid, which the standard says to ignore.
 */
export function readTraceparent(header: string): string | undefined {
  if (!header) return undefined
  const [, version, ids, rest] = TRACEPARENT.exec(header) ?? []
  return !ids || (version === '00' && rest) ? undefined : `00-${ids}`
}

/** Version `ff` and ids of zeros alone are invalid. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/
