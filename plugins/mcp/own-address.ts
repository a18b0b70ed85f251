import type { Socket } from 'node:net'

/** The address at which this process reaches its own routes. */
export interface OwnAddress {
  get(): string
  /** @param socket of any request; its `Host` header is not used, since it could name another machine */
  learn(socket: Pick<Socket, 'localAddress' | 'localPort' | 'localFamily'>): void
}

export function createOwnAddress(): OwnAddress {
  let address = ''
  return {
    get: () => address,
    learn({ localAddress = '', localPort, localFamily }) {
      if (address) return
      const host = localAddress.replace(/^::ffff:/, '')
      const isV6 = localFamily === 'IPv6' && host === localAddress
      address = `http://${isV6 ? `[${host}]` : host}:${localPort}`
    },
  }
}
