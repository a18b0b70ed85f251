import { Agent } from 'node:https'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Tunnel } from './egress.ts'

/** Called with the connection, or with the error. */
type Connected = (error: Error | null, stream: Duplex) => void

/** An agent for `ws://` that connects through the tunnel. */
export function plainAgent(tunnel: Tunnel): Agent {
  // Baileys' type is the https agent; Node compares its protocol with the request's.
  return Object.assign(new Agent(), { protocol: 'http:', defaultPort: 80, createConnection: through(tunnel) })
}

/** An agent for `wss://` and `https://` that connects through the tunnel. */
export function tlsAgent(tunnel: Tunnel, ca: string | undefined): Agent {
  return Object.assign(new Agent(ca ? { ca } : {}), {
    createConnection: through(tunnel, (options, socket) => connectTls({ ...options, socket })),
  })
}

interface Target {
  host?: string
  port?: number | string
}

/** An agent's `createConnection`: returns nothing and calls back later. */
function through(
  tunnel: Tunnel,
  upgrade: (options: Target & { port: number }, socket: Duplex & object) => Duplex = (_, socket) => socket,
) {
  return (options: Target, done: Connected): void => {
    const port = Number(options.port)
    tunnel.connect(options.host ?? '', port).then(
      (socket) => done(null, upgrade({ ...options, port }, socket)),
      (error: Error) => (done as (error: Error) => void)(error),
    )
  }
}
