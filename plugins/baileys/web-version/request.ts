import { request } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { withTimeout } from 'wamux/plugin'
import type { Way } from '../network/session-networks.ts'

/** A request to a known web site, not to one named by users. */
export interface Question {
  url: URL
  headers: Readonly<Record<string, string>>
  /** Ends the request, as its time limit does. */
  signal: AbortSignal
  timeoutMs: number
}

const MAX_BYTES = 2_000_000
const MAX_REDIRECTS = 3

/** The text at a URL. Rejects unless the same host answers 200 within the limits of time and size. */
export async function readText(way: Way, { url, headers, signal, timeoutMs }: Question): Promise<string> {
  const end = new AbortController()
  const ended = AbortSignal.any([end.signal, signal])
  const late = (): never => {
    end.abort()
    throw new Error(`no answer within ${timeoutMs / 1000} s`)
  }
  const work = async (): Promise<string> => {
    let address = url
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const answer = await exchange(way, address, headers, ended)
      if ('text' in answer) return answer.text
      const next = new URL(answer.location, address)
      if (next.origin !== url.origin) throw new Error('it redirects to another host')
      address = next
    }
    throw new Error('it redirects too often')
  }
  return withTimeout(work(), timeoutMs, late)
}

async function exchange(
  way: Way,
  { hostname, host, port, protocol, pathname, search }: URL,
  headers: Question['headers'],
  signal: AbortSignal,
): Promise<{ text: string } | { location: string }> {
  const isSecure = protocol === 'https:'
  const name = hostname.replace(/^\[|\]$/g, '')
  const socket = await way.connect(name, Number(port) || (isSecure ? 443 : 80))
  try {
    signal.throwIfAborted()
    const stream = isSecure ? await secured(socket, name) : socket
    return await ask(stream, { path: pathname + search, headers: { ...headers, host }, signal })
  } finally {
    socket.destroy()
  }
}

function secured(socket: Socket, servername: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({ socket, servername }, () => resolve(secure))
    secure.once('error', reject)
  })
}

interface Asked {
  path: string
  headers: Record<string, string>
  signal: AbortSignal
}

function ask(stream: Duplex, asked: Asked): Promise<{ text: string } | { location: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...asked, method: 'GET', createConnection: () => stream })
    sent.once('error', reject)
    sent.once('response', async (response) => {
      try {
        const { statusCode = 0, headers } = response
        const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined
        if (isRedirect) return resolve({ location: headers.location ?? '' })
        if (statusCode !== 200) throw new Error(`it answered ${statusCode}`)
        return resolve({ text: await bodyOf(response) })
      } catch (error) {
        return reject(error)
      }
    })
    sent.end()
  })
}

async function bodyOf(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
