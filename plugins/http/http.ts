import { Agent, type Dispatcher, request } from 'undici'
import { gatewayError, reasonOf } from 'wamux/plugin'
import { createGuard } from './guard.ts'

export interface HttpPost {
  body: string
  headers: Record<string, string>
  /** Milliseconds for the whole exchange. */
  timeoutMs: number
}

export interface HttpAnswer {
  status: number
  /** First values of the answer's headers, lower-case names. */
  headers: Record<string, string>
}

export interface Http {
  /** Any answer resolves, 3xx too; rejects with the reason when there is none. */
  post(url: string, options: HttpPost): Promise<HttpAnswer>
  /** Throws FIELD_INVALID when this can't be an address to call. */
  check(field: string, url: string): void
  close(): Promise<void>
}

interface Deps {
  config: { httpsOnly: boolean }
  settings: { allowPrivateHosts: readonly string[] }
}

const ANSWER_MOST = 4096

export function createHttp({ config, settings }: Deps): Http {
  const guard = createGuard(settings.allowPrivateHosts)
  const agent = new Agent({
    connect: guard.connect,
    connections: 64,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    headersTimeout: 15_000,
    bodyTimeout: 15_000,
  })
  return {
    async post(url, { body, headers, timeoutMs }) {
      const answer = await request(url, {
        method: 'POST',
        body,
        headers,
        dispatcher: agent,
        signal: AbortSignal.timeout(timeoutMs),
      })
      await drain(answer.body)
      return { status: answer.statusCode, headers: firstValues(answer.headers) }
    },
    check(field, url) {
      let parsed: URL
      try {
        parsed = new URL(url)
      } catch (cause) {
        throw gatewayError('FIELD_INVALID', [field, `"${url}" is no URL`], { cause })
      }
      if (parsed.protocol !== 'https:' && (config.httpsOnly || parsed.protocol !== 'http:')) {
        throw gatewayError('FIELD_INVALID', [
          field,
          config.httpsOnly ? 'must be https' : 'must be http or https',
        ])
      }
      try {
        guard.checkLiteral(parsed.hostname)
      } catch (cause) {
        throw gatewayError('FIELD_INVALID', [field, reasonOf(cause)], { cause })
      }
    },
    close: () => agent.destroy(),
  }
}

/** Reads the little that an answer may say, so that the connection can serve again. */
async function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  await body.dump({ limit: ANSWER_MOST }).catch(() => undefined)
}

function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()[0] ?? '']))
}
