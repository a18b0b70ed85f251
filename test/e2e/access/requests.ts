import type { Method } from '../../../kernel/plugin.ts'

/** A request with its answer, of which a stream is read until its head. */
export interface Sent {
  readonly status: number
  readonly text: string
}

export interface Request {
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

let address = 0

/** In this process. */
export const sentRequests = (): number => address

/** Each request comes from an address of its own: wrong tokens are limited by address. */
export async function send(base: string, { method, path, headers, body }: Request): Promise<Sent> {
  address += 1
  const from = `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`
  const stop = new AbortController()
  const response = await fetch(base + path, {
    method,
    headers: {
      'x-forwarded-for': from,
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    redirect: 'manual',
    signal: stop.signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
  const text = isStream ? '' : await response.text()
  stop.abort()
  return { status: response.status, text }
}

/** Runs the work for each item, some at a time. */
export async function each<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
