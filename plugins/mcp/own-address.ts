import type { Socket } from 'node:net'

/** Where this process listens, as its own clients reach it. */
export interface OwnAddress {
  get(): string
  /** @param socket of any request: its `Host` could name another machine */
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
