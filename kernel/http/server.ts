import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'
import { withTimeout } from '../async/time-out.ts'
import type { WebSockets } from './browsers/web-sockets.ts'

export interface HttpServer {
  /** `http://127.0.0.1:8080` */
  readonly url: string
  /**
   * Accepts no more connections and lets running requests finish for `graceMs`; then calls `abort`, which must make the
   * rest end, and closes all connections a second later.
   */
  close(graceMs: number, abort: () => Promise<void>): Promise<void>
}

/** Time limits for clients, in milliseconds; a slow client must not hold a connection for ever. */
export interface ClientTimeouts {
  /** For the headers. */
  readonly headers: number
  /** For the whole request. */
  readonly request: number
  /** For receiving an answer, in addition to the time that its bytes need at the minimum rate. */
  readonly answer: number
  /** Bytes per millisecond. */
  readonly leastRate: number
  /** How often headers and requests are checked. */
  readonly check: number
}

// A busy process reads a connection late: a shorter time-out would close connections whose headers arrived in time.
const TIMEOUTS: ClientTimeouts = {
  headers: 30_000,
  request: 60_000,
  answer: 60_000,
  leastRate: 64,
  check: 5_000,
}

export interface ListenOptions {
  host?: string
  /** 0 for a free port. */
  port?: number
  clientTimeouts?: ClientTimeouts
}

/** For aborted requests to end. */
const LAST_MS = 1_000

export async function listen(app: Koa, webSockets: WebSockets, options: ListenOptions): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 0, clientTimeouts: timeouts = TIMEOUTS } = options
  const handle = app.callback()
  let closing = false
  const server = createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.check,
      keepAliveTimeout: 65_000,
    },
    (request, response) => {
      if (closing) response.setHeader('Connection', 'close')
      void handle(request, response).then(() => endUnread(request, response, timeouts))
    },
  )
  const sockets = webSockets.accept(server, handle)
  server.maxHeadersCount = 100
  server.maxConnections = 10_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    url: urlOf(server, host),
    async close(graceMs, abort) {
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.close(1001, 'the gateway is stopping')
      // close() ends idle connections once; kept-alive ones become idle later, one by one.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      const finished = await endsWithin(closed, graceMs)
      if (!finished) {
        await abort()
        if (!(await endsWithin(closed, LAST_MS))) server.closeAllConnections()
        // WebSockets that did not answer the close.
        for (const socket of sockets) socket.terminate()
      }
      clearInterval(sweep)
      await closed
    },
  }
}

/** An answer that a client does not read stays in memory. A stream is produced only as it is sent, so it has no limit. */
function endUnread({ socket }: IncomingMessage, response: ServerResponse, timeouts: ClientTimeouts): void {
  if (!response.writableEnded || response.writableFinished) return
  const bytes = Number(response.getHeader('content-length') ?? 0)
  const timer = setTimeout(() => socket.destroy(), timeouts.answer + bytes / timeouts.leastRate)
  response.once('close', () => clearTimeout(timer))
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return `http://${shown}:${port}`
}

function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  return withTimeout(
    work.then(() => true),
    ms,
    () => false,
  )
}
