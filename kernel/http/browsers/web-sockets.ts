import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from 'koa'
import { type WebSocket, WebSocketServer } from 'ws'
import { gatewayError } from '../../errors.ts'

/** Accepts WebSockets for the edge. */
export interface WebSockets {
  /** Hands the upgrade requests of `server` to `handle`; returns the open WebSockets, which the edge closes when it stops. */
  accept(
    server: Server,
    handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): ReadonlySet<WebSocket>
  /** Opens the WebSocket that a request asks for; the edge then no longer answers it. See `upgrade` of a route. */
  open(ctx: Context): Promise<WebSocket>
}

/** Browsers can't set headers of a WebSocket, so a subprotocol may hold the token: `token.<token>`. */
const CREDENTIAL = /^(token|admintoken)\.(.+)$/
const MAX_MESSAGE_BYTES = 64 * 1024

/**
 * Upgrade requests go through the routes like any other.
 *
 * @param corsOrigins origins of pages that may connect, in addition to the gateway's own.
 */
export function createWebSockets(corsOrigins: readonly string[]): WebSockets {
  const handshakes = new WeakMap<IncomingMessage, () => Promise<WebSocket>>()
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => [...offered].find((name) => !CREDENTIAL.test(name)) ?? false,
  })
  return {
    accept(server, handle) {
      server.on('upgrade', (request: IncomingMessage, stream: Socket, head: Buffer) => {
        const { headers } = request
        if (headers.upgrade?.toLowerCase() !== 'websocket') return serveAgain(server, request, stream, head)
        for (const one of (headers['sec-websocket-protocol'] ?? '').split(',')) {
          const [, name, token] = CREDENTIAL.exec(one.trim()) ?? []
          if (name && token) headers[name] ??= token
        }
        const response = new ServerResponse(request)
        response.shouldKeepAlive = false
        response.assignSocket(stream)
        response.once('finish', () => stream.end())
        stream.on('error', () => stream.destroy())
        handshakes.set(request, () => {
          response.detachSocket(stream)
          return new Promise((resolve, reject) => {
            // An invalid or aborted handshake is not reported otherwise.
            stream.once('close', () => reject(gatewayError('UPGRADE_REQUIRED')))
            if (stream.destroyed) reject(gatewayError('UPGRADE_REQUIRED'))
            else sockets.handleUpgrade(request, stream, head, resolve)
          })
        })
        void handle(request, response)
      })
      return sockets.clients
    },
    async open(ctx) {
      const handshake = handshakes.get(ctx.req)
      if (!handshake) throw gatewayError('UPGRADE_REQUIRED')
      // Addresses are logged by proxies and kept by browsers.
      if (ctx.query['token'] ?? ctx.query['admintoken'])
        throw gatewayError('FIELD_INVALID', [
          'token',
          'give it as a header or subprotocol, not in the address',
        ])
      const origin = ctx.get('Origin')
      const isOwn = origin.replace(/^https?:\/\//, '') === ctx.host
      if (origin && !isOwn && !corsOrigins.some((allowed) => allowed === '*' || allowed === origin))
        throw gatewayError('ORIGIN_REFUSED', [origin])
      ctx.respond = false
      ctx.status = 101
      // Koa would treat a connection error as an error of the answer, and log its status.
      ctx.onerror = () => undefined
      return handshake()
    },
  }
}

/** Clients may offer `h2c` with any request: the server reads the request again without the offer. */
function serveAgain(server: Server, request: IncomingMessage, stream: Socket, head: Buffer): void {
  const { method, url, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!/^(upgrade|connection|http2-settings)$/i.test(rawHeaders[i] ?? ''))
      lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', stream)
}
