import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { gatewayError } from '../errors.ts'
import type { Reply, Route } from '../types/route.ts'
import type { Session } from '../types/session.ts'
import { isReply } from './answer.ts'

/** Limits on open streams: server-sent events, WebSockets and requests that wait for events, together. */
export interface StreamLimits {
  readonly maxStreams?: number | undefined
  readonly maxStreamsPerSession?: number | undefined
  /** Per key, for the admin, or per address on a route without a token. */
  readonly maxStreamsPerKey?: number | undefined
}

export interface Streams {
  readonly open: number
  /** Takes a slot; returns the function that releases it. Throws STREAMS_FULL. */
  enter(by: { actor: string; session: Session | undefined }, path: string): () => void
}

/** Seconds. Refused clients reconnect automatically. */
const RETRY_AFTER = 5

export function createStreams(limits: StreamLimits): Streams {
  const { maxStreams = 1_000, maxStreamsPerSession = 50, maxStreamsPerKey = 20 } = limits
  const open = new Map<string, number>()
  return {
    get open() {
      return open.get('') ?? 0
    },
    enter({ actor, session }, path) {
      const places: [owner: string, most: number, name: string][] = [['', maxStreams, 'this gateway']]
      if (session) places.push([`session ${session.id}`, maxStreamsPerSession, 'this session'])
      if (actor !== session?.id)
        places.push([`by ${actor || path}`, maxStreamsPerKey, actor ? 'these credentials' : 'this address'])
      for (const [owner, most, name] of places)
        if ((open.get(owner) ?? 0) >= most)
          throw gatewayError('STREAMS_FULL', [name, most], { retryAfter: RETRY_AFTER })
      for (const [owner] of places) open.set(owner, (open.get(owner) ?? 0) + 1)
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        for (const [owner] of places) {
          const left = (open.get(owner) ?? 1) - 1
          if (left > 0) open.set(owner, left)
          else open.delete(owner)
        }
      }
    },
  }
}

/** Whether a request asks for a stream. */
export function isStream({ spec }: Route, query: URLSearchParams): boolean {
  const { contentMediaType } = (spec.response ?? {}) as { contentMediaType?: string }
  const { isStream: kind = contentMediaType === 'text/event-stream' } = spec
  if (kind !== 'wait') return kind
  return [...query].some(([name, value]) => name.toLowerCase() === 'wait' && Number(value) > 0)
}

export interface StreamReply extends Reply {
  readonly body: NodeJS.ReadableStream
}

/** Whether an answer is an event stream from a route that normally answers otherwise. */
export function isStreamed(result: unknown): result is StreamReply {
  if (!isReply(result) || typeof result.body === 'string' || Buffer.isBuffer(result.body)) return false
  return Object.entries(result.headers).some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.startsWith('text/event-stream'),
  )
}

/** Takes a slot for a stream that has begun; without a free one, the stream ends. */
export function entered({ body }: StreamReply, enter: () => () => void): () => void {
  try {
    return enter()
  } catch (full) {
    ;(body as Readable).destroy()
    throw full
  }
}

/** Calls back once the whole answer is sent, or the client is gone. */
export function afterAnswer(response: ServerResponse, done: () => void): void {
  if (response.closed) done()
  else response.once('close', done)
}
