import type { Socket } from 'node:net'

/** Opens the connections of sessions that must not connect directly, such as through a proxy. */
export interface Egress {
  /** The driver calls it before any link. @param endpoint where links are opened to */
  start(endpoint: () => Endpoint): void
  /**
   * The way out of a session, for its WebSocket and its files; undefined if it connects directly. A rejection keeps the
   * session's link down.
   */
  of(session: string): Promise<Tunnel | undefined>
}

export interface Endpoint {
  readonly host: string
  readonly port: number
}

export interface Tunnel {
  /** Equal for tunnels of one session that lead the same way. May hold a password; it is never shown. */
  readonly id: string
  /** A TCP connection to that host, whose name the other end of the tunnel resolves. */
  connect(host: string, port: number): Promise<Socket>
}
