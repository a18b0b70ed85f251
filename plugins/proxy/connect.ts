import { request } from 'node:http'
import type { Socket } from 'node:net'
import type { ProxyAddress } from './address.ts'

/** Makes an HTTP proxy connect to the target (CONNECT, RFC 9110 §9.3.6); resolves with the connection. */
export function requestTunnel(
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
