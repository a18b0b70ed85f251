import { WamuxError } from './error.ts'
import type { ClientOptions } from './types.ts'

export interface Sending {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** Whether it may safely be sent again. */
  isRepeatable: boolean
  signal?: AbortSignal
  /** A stream may stay open longer than `timeoutMs`. */
  isStream?: boolean
}

export interface Request {
  /** Resolves with a successful answer, after retries if allowed. Rejects with a WamuxError or the reason of the signal. */
  send(sending: Sending): Promise<Response>
}

/** Longest first pause before another attempt; doubled each time. */
const FIRST_MS = 500
const MAX_MS = 30_000

export function createRequest(options: ClientOptions): Request {
  const { url, retries = 3, timeoutMs = 100_000, fetch: call = fetch } = options
  const headers: Record<string, string> = {
    ...(options.token ? { token: options.token } : {}),
    ...(options.adminToken ? { admintoken: options.adminToken } : {}),
    ...(options.bearer ? { authorization: `Bearer ${options.bearer}` } : {}),
    ...options.headers,
  }
  async function once({ method, path, body, signal, isStream, ...rest }: Sending): Promise<Response> {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    try {
      const response = await call(`${url.replace(/\/$/, '')}${path}`, {
        method,
        headers: { ...headers, ...rest.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body } : {}),
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      })
      if (!response.ok) throw await refusalOf(response)
      // Except for streams, the whole body must arrive within the limit.
      if (isStream) return response
      return new Response(await response.blob(), response)
    } catch (cause) {
      if (cause instanceof WamuxError) throw cause
      signal?.throwIfAborted()
      const [errorCode, text] = limit.signal.aborted
        ? ['TIMEOUT', `no answer within ${timeoutMs} ms`]
        : ['NETWORK', 'the gateway was not reached']
      throw new WamuxError(`${method} ${path}: ${text}`, { code: 0, errorCode, cause })
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    async send(sending) {
      for (let tried = 0; ; tried += 1) {
        try {
          return await once(sending)
        } catch (error) {
          if (!sending.isRepeatable || tried >= retries || !isPassing(error)) throw error
          await pause(waitOf(tried, error.retryAfter), sending.signal)
        }
      }
    },
  }
}

/** Codes of transient failures at 500 to 502: from a proxy in between, or because WhatsApp was unavailable. */
const PASSING: readonly string[] = ['UNREADABLE', 'NETWORK_UNAVAILABLE']

/** Whether another attempt may succeed: never after a 4xx, a refusal by WhatsApp, or an internal error of the gateway. */
export function isPassing(error: unknown): error is WamuxError {
  if (!(error instanceof WamuxError)) return false
  const { code, errorCode } = error
  return code === 0 || code > 502 || (code >= 500 && PASSING.includes(errorCode))
}

/** Pause in milliseconds: doubled each time, half of it random, never shorter than the gateway's `Retry-After`. */
export function waitOf(tried: number, retryAfter = 0): number {
  const most = Math.min(MAX_MS, FIRST_MS * 2 ** tried)
  return Math.max(retryAfter * 1000, most / 2 + (Math.random() * most) / 2)
}

/** Rejects with the reason of the signal when it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end)
  })
}

async function refusalOf(response: Response): Promise<WamuxError> {
  const text = await response.text().catch(() => '')
  const { error, errorCode = 'UNREADABLE', details } = parse(text)
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new WamuxError(error ?? `${response.status} ${response.statusText}`, {
    code: response.status,
    errorCode,
    details,
    ...(seconds >= 0 ? { retryAfter: seconds } : {}),
    requestId: response.headers.get('x-request-id') ?? undefined,
  })
}

function parse(text: string): { error?: string; errorCode?: string; details?: string } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
