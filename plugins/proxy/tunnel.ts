import { request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { SocksClient } from 'socks'
import { type GatewayServices, gatewayError, reasonOf, withTimeout } from 'wamux/plugin'
import type { ProxyAddress } from './address.ts'

type Egress = GatewayServices['egress']
export type ProxyTunnel = NonNullable<Awaited<ReturnType<Egress['of']>>>

/**
 * Connections through a proxy, which resolves the names. There is no fall-back: a connection that the proxy does not open
 * rejects with PROXY_FAILED.
 *
 * @param dial opens a TCP connection to the proxy itself
 */
export function createTunnel(
  address: ProxyAddress,
  dial: (host: string, port: number) => Promise<Socket>,
  timeoutMs: number,
): Pick<ProxyTunnel, 'connect'> {
  const shown = `${address.host}:${address.port}`
  return {
    async connect(host, port) {
      let opened: Socket | undefined
      let isLate = false
      const open = async (): Promise<Socket> => {
        opened = await dial(address.host, address.port)
        if (isLate) opened.destroy()
        return await handshake(address, opened, host, port)
      }
      const late = (): never => {
        isLate = true
        throw new Error(`no connection within ${timeoutMs} ms`)
      }
      try {
        return await withTimeout(open(), timeoutMs, late)
      } catch (cause) {
        opened?.destroy()
        throw gatewayError('PROXY_FAILED', [shown, reasonOf(cause)], { cause })
      }
    },
  }
}

/** Makes the proxy connect the open connection to the target. */
async function handshake(address: ProxyAddress, opened: Socket, host: string, port: number): Promise<Socket> {
  if (address.protocol === 'http') return requestTunnel(address, opened, host, port)
  if (address.protocol === 'https')
    return requestTunnel(address, await secured(opened, address.host), host, port)
  const { user, password } = address
  const { socket } = await SocksClient.createConnection({
    proxy: {
      host: address.host,
      port: address.port,
      type: 5,
      ...(user ? { userId: user, password } : {}),
    },
    command: 'connect',
    destination: { host, port },
    existing_socket: opened,
  })
  return socket
}

function secured(socket: Socket, servername: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({ socket, servername: isIP(servername) ? '' : servername }, () =>
      resolve(secure),
    )
    secure.once('error', reject)
  })
}

/** Makes an HTTP proxy connect to the target (CONNECT, RFC 9110 §9.3.6); resolves with the connection. */
function requestTunnel(
  { user, password }: ProxyAddress,
  opened: Socket,
  host: string,
  port: number,
): Promise<Socket> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const credentials = Buffer.from(`${user}:${password}`).toString('base64')
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(user ? { 'proxy-authorization': `Basic ${credentials}` } : {}) },
      createConnection: () => opened,
    })
    asked.once('error', reject)
    asked.once('connect', ({ statusCode }, socket, head) => {
      if (statusCode !== 200) return reject(new Error(`it answered ${statusCode}`))
      if (head.length > 0) socket.unshift(head)
      return resolve(socket as Socket)
    })
    asked.end()
  })
}
