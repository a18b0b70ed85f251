import { type Signal, signal } from '@preact/signals'
import { call, checkLogin, HEADERS, ROOT, textOf } from './api.ts'

export interface LiveEvent {
  /** '' for an event without one. */
  readonly id: string
  /** `message` unless the gateway names another. */
  readonly type: string
  /** Parsed JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each stream has its own
  readonly data: any
}

export interface Live {
  readonly state: Signal<'connecting' | 'live' | 'waiting' | 'ended'>
  /** The gateway's reason why it is waiting or has ended. */
  readonly reason: Signal<string>
  close(): void
}

export interface FollowOptions {
  /** Id of the stream's session. */
  readonly session?: string
  /** Id of the last known event. */
  readonly after?: string
}

/** The gateway sends something at least every 15 seconds. */
const SILENCE_MS = 45_000
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 15_000

/**
 * Server-sent events of a path, resumed where they ended, until `close` is called or the gateway refuses. Uses fetch, since
 * an EventSource can't set the header that names the session.
 */
export function follow(path: string, onEvent: (event: LiveEvent) => void, options: FollowOptions = {}): Live {
  const state: Live['state'] = signal('connecting')
  const reason = signal('')
  const end = new AbortController()
  let last = options.after ?? ''

  async function read(): Promise<boolean> {
    const silent = new AbortController()
    let timer = setTimeout(() => silent.abort(), SILENCE_MS)
    try {
      const response = await call(`${ROOT}${path}`, {
        headers: {
          ...HEADERS,
          Accept: 'text/event-stream',
          ...(options.session ? { 'X-Session': options.session } : {}),
          ...(last ? { 'Last-Event-ID': last } : {}),
        },
        signal: AbortSignal.any([end.signal, silent.signal]),
      })
      if (!response.ok || !response.body) {
        const answer = (await response.json().catch(() => ({}))) as { error?: string }
        reason.value = answer.error ?? String(response.status)
        // 429: all stream slots are currently taken.
        return response.status >= 500 || response.status === 429
      }
      state.value = 'live'
      reason.value = ''
      const onChunk = (): void => {
        clearTimeout(timer)
        timer = setTimeout(() => silent.abort(), SILENCE_MS)
      }
      for await (const event of eventsOf(response.body, onChunk)) {
        if (event.type === 'error') {
          reason.value = String(event.data.error ?? '')
          // It ended while the stream was open.
          if (event.data.code === 401) await checkLogin()
          return event.data.code >= 500
        }
        if (event.id) last = event.id
        if (event.data !== undefined) onEvent(event)
      }
    } catch (error) {
      reason.value = textOf(error)
    } finally {
      clearTimeout(timer)
      silent.abort()
    }
    return true
  }

  async function run(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; !end.signal.aborted; wait = Math.min(MAX_WAIT_MS, wait * 2)) {
      const again = await read()
      if (!again || end.signal.aborted) break
      if (state.value === 'live') wait = FIRST_WAIT_MS
      state.value = 'waiting'
      await pause(wait * (0.5 + Math.random() / 2), end.signal)
    }
    state.value = 'ended'
  }

  void run()
  return { state, reason, close: () => end.abort() }
}

async function* eventsOf(body: ReadableStream<Uint8Array>, onChunk: () => void): AsyncGenerator<LiveEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    onChunk()
    const parts = `${text}${value}`.split(/\r?\n\r?\n/)
    text = parts.pop() ?? ''
    for (const part of parts) yield eventOf(part)
  }
}

function eventOf(part: string): LiveEvent {
  const fields = { id: '', event: 'message', data: '' }
  for (const line of part.split(/\r?\n/)) {
    const [name = '', ...rest] = line.split(':')
    const value = rest.join(':').replace(/^ /, '')
    if (name === 'data') fields.data += fields.data ? `\n${value}` : value
    else if (name === 'id' || name === 'event') fields[name] = value
  }
  return { id: fields.id, type: fields.event, data: fields.data ? JSON.parse(fields.data) : undefined }
}

function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    ended.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
