import { createServer, type Server } from 'node:http'
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

export async function listen(app: Koa, host: string, port: number): Promise<HttpServer> {
  const handle = app.callback()
  let closing = false
  const server = createServer(
    // Slow clients may not hold a connection for ever: headers within 10 s, the whole request within 60 s.
    {
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 65_000,
    },
    (request, response) => {
      if (closing) response.setHeader('Connection', 'close')
      void handle(request, response)
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
