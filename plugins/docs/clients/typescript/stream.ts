import { WamuxError } from './error.ts'
import { isPassing, pause, type Request, waitOf } from './request.ts'
import type { GatewayEvent, StreamOptions } from './types.ts'

/** The gateway sends a heartbeat every 15 seconds. */
const IDLE_MS = 60_000

/** Events of `GET /events/stream`, which is reopened when it ends, after the last handled event. */
export async function* stream(
  request: Request,
  { after, classes, filter, idleMs = IDLE_MS, signal }: StreamOptions,
): AsyncGenerator<GatewayEvent, void, undefined> {
  let last = after === undefined ? '' : String(after)
  const fields = new URLSearchParams({ ...filter, ...(classes ? { class: classes.join(',') } : {}) })
  const query = fields.size > 0 ? `?${fields}` : ''
  for (let tried = 0; !signal?.aborted; ) {
    const idle = new AbortController()
    const ended = signal ? AbortSignal.any([signal, idle.signal]) : idle.signal
    let retryAfter: number | undefined
    let timer = setTimeout(() => idle.abort(), idleMs)
    try {
      const response = await request.send({
        method: 'GET',
        path: `/events/stream${query}`,
        headers: last ? { 'last-event-id': last } : {},
        isRepeatable: false,
        isStream: true,
        signal: ended,
      })
      for await (const { id, event, data } of messagesOf(response)) {
        clearTimeout(timer)
        if (event === 'error') throw errorOf(data)
        if (data) {
          yield JSON.parse(data)
          tried = 0
        }
        // Set only now, so that an event that the loop has not handled is sent again.
        if (id) last = id
        timer = setTimeout(() => idle.abort(), idleMs)
      }
    } catch (error) {
      if (signal?.aborted) return
      // Any other error: the stream was cut off, or idle for too long.
      if (error instanceof WamuxError && !isPassing(error)) throw error
      retryAfter = error instanceof WamuxError ? error.retryAfter : undefined
    } finally {
      clearTimeout(timer)
      idle.abort()
    }
    await pause(waitOf(tried++, retryAfter), signal).catch(() => undefined)
  }
}

interface Message {
  id?: string
  event?: string
  data?: string
}

/** Server-sent events, and an empty one for each heartbeat. */
async function* messagesOf({ body }: Response): AsyncGenerator<Message> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const parts = `${text}${decoder.decode(value, { stream: true })}`.split(/\r?\n\r?\n/)
    text = parts.pop() ?? ''
    for (const part of parts) yield messageOf(part)
  }
}

function messageOf(part: string): Message {
  const message: Record<string, string> = {}
  for (const line of part.split(/\r?\n/)) {
    const [name = '', ...rest] = line.split(':')
    const value = rest.join(':').replace(/^ /, '')
    if (name) message[name] = name in message ? `${message[name]}\n${value}` : value
  }
  return message
}

function errorOf(data = '{}'): WamuxError {
  const { code = 0, error = 'The stream failed', errorCode = 'NETWORK' } = JSON.parse(data)
  return new WamuxError(error, { code, errorCode })
}
