import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'

export interface HttpServer {
  /** `http://127.0.0.1:8080` */
  readonly url: string
  /**
   * Takes no more connections and lets running requests finish for `graceMs`; then calls `hurry`, which must
   * make the rest end, and cuts what is left after the same time again.
   */
  close(graceMs: number, hurry: () => Promise<void>): Promise<void>
}

/** Milliseconds that a client may take; a slow one may not hold a connection for ever. */
export interface ClientPatience {
  /** For the headers. */
  readonly headers: number
  /** For the whole request. */
  readonly request: number
  /** For taking an answer, beside the time that its bytes need at the least rate. */
  readonly answer: number
  /** Bytes a millisecond. */
  readonly leastRate: number
  /** How often headers and requests are looked at. */
  readonly check: number
}

// A busy process reads a connection late: a shorter wait for the headers cuts off those who sent them in time.
const PATIENCE: ClientPatience = {
  headers: 30_000,
  request: 60_000,
  answer: 60_000,
  leastRate: 64,
  check: 5_000,
}

export interface ListenOptions {
  host?: string
  /** 0 takes a free one. */
  port?: number
  clientPatience?: ClientPatience
}

export async function listen(app: Koa, options: ListenOptions): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 0, clientPatience: patience = PATIENCE } = options
  const handle = app.callback()
  let closing = false
  const server = createServer(
    {
      headersTimeout: patience.headers,
      requestTimeout: patience.request,
      connectionsCheckingInterval: patience.check,
      keepAliveTimeout: 65_000,
    },
    (request, response) => {
      if (closing) response.setHeader('Connection', 'close')
      void handle(request, response).then(() => cutOff(request, response, patience))
    },
  )
  server.maxHeadersCount = 100
  server.maxConnections = 10_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    url: urlOf(server, host),
    async close(graceMs, hurry) {
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Kept-alive connections fall idle one by one after the first sweep that close() makes.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      const finished = await race(closed, graceMs)
      if (!finished) {
        await hurry()
        if (!(await race(closed, graceMs))) server.closeAllConnections()
      }
      clearInterval(sweep)
      await closed
    },
  }
}

/** What a client doesn't take lies in memory. Streams don't: they make what is taken, for as long as they like. */
function cutOff({ socket }: IncomingMessage, response: ServerResponse, patience: ClientPatience): void {
  if (!response.writableEnded || response.writableFinished) return
  const bytes = Number(response.getHeader('content-length') ?? 0)
  const timer = setTimeout(() => socket.destroy(), patience.answer + bytes / patience.leastRate)
  response.once('close', () => clearTimeout(timer))
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return `http://${shown}:${port}`
}

async function race(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const first = await Promise.race([work.then(() => true as const), late])
  clearTimeout(timer)
  return first
}
