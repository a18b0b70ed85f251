import type { Socket } from 'node:net'

/** Opens the connections of sessions that must not connect directly, for example through a proxy. */
export interface Egress {
  /**
   * Called by the driver before any link.
   * @param endpoint where links connect to
   */
  start(endpoint: () => ProxyEndpoint): void
  /**
   * The tunnel of a session, for its WebSocket and its files; undefined if it connects directly. If it rejects, the
   * session's link stays down.
   */
  of(session: string): Promise<Tunnel | undefined>
}

export interface ProxyEndpoint {
  readonly host: string
  readonly port: number
}

export interface Tunnel {
  /** Equal for tunnels of one session with the same route. May contain a password; never shown. */
  readonly id: string
  /** Opens a TCP connection to that host; the far end of the tunnel resolves the name. */
  connect(host: string, port: number): Promise<Socket>
}
