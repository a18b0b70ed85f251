import { Agent, type Dispatcher, request } from 'undici'
import { gatewayError, type Log, reasonOf } from 'wamux/plugin'
import { type Download, type DownloadLimits, downloader } from './download.ts'
import { createGuard } from './guard.ts'
import { innerReason, publicError, Refusal } from './reason.ts'

export interface HttpPost {
  body: string
  headers: Record<string, string>
  /** Milliseconds for the whole exchange. */
  timeoutMs: number
  /** Aborts the exchange. */
  signal?: AbortSignal
}

export interface HttpAnswer {
  status: number
  /** The first value of each header of the answer, by lower-case name. */
  headers: Record<string, string>
}

export interface HttpClient {
  /** Resolves to any answer, including 3xx; rejects with the reason if there is none. */
  post(url: string, options: HttpPost): Promise<HttpAnswer>
  /** Downloads a file, following a few redirects; rejects with the reason if that fails. */
  download(url: string, limits: DownloadLimits): Promise<Download>
  /** Throws FIELD_INVALID for an address that may not be called. */
  check(field: string, url: string): void
  close(): Promise<void>
}

interface Deps {
  config: { httpsOnly: boolean }
  settings: { allowPrivateHosts: readonly string[] }
  log: Pick<Log, 'info'>
}

const MAX_ANSWER_BYTES = 4096

export function createHttpClient({ config, settings, log }: Deps): HttpClient {
  const guard = createGuard(settings.allowPrivateHosts)
  const agent = new Agent({
    connect: guard.connect,
    connections: 64,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    headersTimeout: 15_000,
    bodyTimeout: 15_000,
  })

  function assertAllowed({ protocol, hostname }: URL): void {
    if (protocol !== 'https:' && (config.httpsOnly || protocol !== 'http:'))
      throw new Refusal(config.httpsOnly ? 'must be https' : 'must be http or https')
    guard.checkLiteral(hostname)
  }

  const load = downloader(agent, assertAllowed)

  /** Converts failures to public texts; the details are logged. */
  async function exchange<T>(url: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      const host = URL.canParse(url) ? new URL(url).host : ''
      log.info({ host, reason: innerReason(cause as Error) }, 'outgoing request failed')
      throw publicError(cause)
    }
  }

  async function send(url: string, { body, headers, timeoutMs, signal }: HttpPost): Promise<HttpAnswer> {
    // Not AbortSignal.timeout: its timers outlive the exchange, which adds up to thousands under load.
    const cut = new AbortController()
    const late = setTimeout(() => cut.abort(new Refusal(`no answer within ${timeoutMs} ms`)), timeoutMs)
    const stop = (): void => cut.abort(signal?.reason)
    signal?.addEventListener('abort', stop)
    try {
      const options = { method: 'POST', body, headers, dispatcher: agent, signal: cut.signal } as const
      const answer = await request(url, options)
      await drain(answer.body)
      return { status: answer.statusCode, headers: firstValues(answer.headers) }
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', stop)
    }
  }

  return {
    post: (url, options) => exchange(url, () => send(url, options)),
    download: (url, limits) => exchange(url, () => load(url, limits)),
    check(field, url) {
      try {
        assertAllowed(new URL(url))
      } catch (cause) {
        throw gatewayError(
          'FIELD_INVALID',
          [field, URL.canParse(url) ? reasonOf(cause) : `"${url}" is not a URL`],
          {
            cause,
          },
        )
      }
    },
    close: () => agent.destroy(),
  }
}

/** Reads a short answer to its end, so that the connection can be reused. */
async function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  await body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined)
}

function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()[0] ?? '']))
}
