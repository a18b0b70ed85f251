import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Context } from 'koa'
import type { WebSocket } from 'ws'

/** What accepts WebSockets for the edge. */
export interface WebSockets {
  /** Hands the upgrade requests of `server` to `handle`; returns the open WebSockets, which the edge closes when it stops. */
  accept(
    server: Server,
    handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): ReadonlySet<WebSocket>
  /** Opens the WebSocket that a request asks for; its answer is then the edge's no more. As `upgrade` of a route. */
  open(ctx: Context): Promise<WebSocket>
}
