import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that keeps what it is asked, and refuses to open WebSockets. */
export interface Listener {
  readonly url: string
  readonly requests: IncomingMessage[]
  close(): Promise<void>
}

export async function startListener(): Promise<Listener> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.end('of the listener')
  })
  server.on('upgrade', (request, socket) => {
    requests.push(request)
    const body = 'of the listener'
    socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
