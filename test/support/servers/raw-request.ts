import { connect } from 'node:net'

/** Sends a request line and headers as they are, which `fetch` would correct, and resolves with the first answer. */
export function rawRequest(url: string, requestLine: string, headers: Record<string, string> = {}) {
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  return new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      answer += text
      // A proxy leaves the connection open.
      if (isWhole(answer)) socket.destroy()
    })
    socket.once('close', () => resolve(answer))
    socket.once('error', reject)
    socket.write([requestLine, ...lines, '', ''].join('\r\n'), 'latin1')
  })
}

function isWhole(answer: string): boolean {
  const [head = '', ...body] = answer.split('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  return body.length > 0 && length !== undefined && body.join('\r\n\r\n').length >= Number(length)
}
