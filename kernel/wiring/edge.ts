import { gatewayError } from '../errors.ts'
import { createApp } from '../http/app.ts'
import { createAuthorize } from '../http/auth.ts'
import { createBodyReader } from '../http/body.ts'
import { cors } from '../http/browsers/cors.ts'
import { securityHeaders } from '../http/browsers/security-headers.ts'
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
