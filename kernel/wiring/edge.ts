import { gatewayError } from '../errors.ts'
import { createApp } from '../http/app.ts'
import { createAuthorize } from '../http/auth.ts'
import { createBodyReader } from '../http/body.ts'
import { listen } from '../http/server.ts'
import type { GatewayOptions } from '../options.ts'
import type { Caller, Login } from '../types/route.ts'
import type { Core } from './core.ts'
import { mountAround, mountFirst, mountRoutes } from './mount.ts'

/** The HTTP side of a running gateway. */
export interface Edge {
  readonly url: string
  /** Lets running requests finish; aborts them, and ends the links, when they take longer than the grace period. */
  close(): Promise<void>
}

/** How long running requests may take after the stop began. */
const GRACE_MS = 3_000

export async function startEdge(
  options: GatewayOptions,
  { running, sessions }: Pick<Core, 'running' | 'sessions'>,
): Promise<Edge> {
  const stopping = new AbortController()
  const app = createApp({
    routes: mountRoutes(running),
    around: mountAround(running),
    authorize: createAuthorize({
      adminToken: options.adminToken,
      sessions,
      authenticate: mountFirst<Caller>(running, 'authenticate'),
      login: mountFirst<Login>(running, 'login'),
    }),
    bodies: createBodyReader({ each: options.bodyLimit }),
    middleware: options.middleware ?? [],
    webSockets: options.webSockets,
    proxies: options.trustProxy ?? 0,
    log: options.log,
    stopping: stopping.signal,
  })
  const server = await listen(app, options)
  return {
    url: server.url,
    close: () =>
      server.close(GRACE_MS, async () => {
        stopping.abort(gatewayError('STOPPING'))
        await sessions.stop()
      }),
  }
}
