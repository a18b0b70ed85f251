import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FromReceiver =
  | { kind: 'listening'; url: string }
  /** Milliseconds since 1970 at which each key came first. */
  | { kind: 'arrived'; arrivals: number[] }

/** Asks to be told when that many have come. */
export interface ToReceiver {
  kind: 'count'
  wanted: number
}

/** Takes everything with 200 and notes when each key came. */
const arrivals: number[] = []
let count = 0
let wanted = Number.POSITIVE_INFINITY

const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now()
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.on('end', () => {
    const key = Number(/"Key":(\d+)/.exec(text)?.[1])
    if (arrivals[key] === undefined) {
      arrivals[key] = at
      count += 1
    }
    response.end()
    tell()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  send({ kind: 'listening', url: `http://127.0.0.1:${port}/` })
})

process.on('message', (message: ToReceiver) => {
  wanted = message.wanted
  tell()
})

function tell(): void {
  if (count < wanted) return
  wanted = Number.POSITIVE_INFINITY
  send({ kind: 'arrived', arrivals })
}

function send(message: FromReceiver): void {
  process.send?.(message)
}
