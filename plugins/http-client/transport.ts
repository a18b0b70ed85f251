import type { Socket } from 'node:net'
import type { Agent, buildConnector, request } from 'undici'
import type { Guard } from './guard.ts'

/** undici, and the agent that all requests share. */
export interface Transport {
  readonly agent: Agent
  readonly request: typeof request
  /** A plain TCP connection, guarded as those of requests. */
  connect(host: string, port: number): Promise<Socket>
}

export interface LazyTransport {
  open(): Promise<Transport>
  close(): Promise<void>
}

/** Loads undici with the first request: it has a hundred modules, and a gateway without webhooks may need none of them. */
export function createTransport(guard: Guard): LazyTransport {
  let opened: Promise<Transport> | undefined
  return {
    open() {
      opened ??= load(guard)
      return opened
    },
    close: async () => (await opened)?.agent.destroy(),
  }
}

async function load(guard: Guard): Promise<Transport> {
  const { Agent, buildConnector, request } = await import('undici')
  const connector = guard.connector(buildConnector)
  const agent = new Agent({
    connect: connector,
    connections: 64,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    headersTimeout: 15_000,
    bodyTimeout: 15_000,
  })
  return { agent, request, connect: (host, port) => connectTo(connector, host, port) }
}

function connectTo(connector: buildConnector.connector, hostname: string, port: number): Promise<Socket> {
  const target = { hostname, port: String(port), protocol: 'http:' }
  return new Promise((resolve, reject) => {
    connector(target, (error, socket) => (socket ? resolve(socket) : reject(error)))
  })
}
