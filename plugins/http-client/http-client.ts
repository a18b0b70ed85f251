import type { Socket } from 'node:net'
import { gatewayError, type Log, reasonOf } from 'wamux/plugin'
import { type Download, type DownloadLimits, downloader } from './download.ts'
import { type HttpAnswer, type HttpPost, poster } from './exchange.ts'
import { createGuard } from './guard.ts'
import { createLocalHosts, type LocalHost } from './local-hosts.ts'
import { FetchRefusal, innerReason, publicError } from './reason.ts'
import { createTransport } from './transport.ts'

export interface HttpClient {
  /** Resolves to any answer, including 3xx; rejects with the reason if there is none. */
  post(url: string, options: HttpPost): Promise<HttpAnswer>
  /** Downloads a file, following a few redirects; rejects with the reason if that fails. */
  download(url: string, limits: DownloadLimits): Promise<Download>
  /** A TCP connection to a host given by a user, within 5 s; rejects with the reason if there is none. */
  connect(host: string, port: number): Promise<Socket>
  /** Throws FIELD_INVALID for an address that may not be called. */
  check(field: string, url: string): void
  /** Redirects future https requests to this name to a server on this machine, for the sandbox. */
  useLocalHost(name: string, host: LocalHost): void
  close(): Promise<void>
}

interface Deps {
  config: { httpsOnly: boolean }
  settings: { allowPrivateHosts: readonly string[] }
  log: Pick<Log, 'info'>
}

/** Maximum length of an address, even in a field that accepts a link or a whole file. */
const MAX_URL = 8_192

export function createHttpClient({ config, settings, log }: Deps): HttpClient {
  const guard = createGuard(settings.allowPrivateHosts)
  const localHosts = createLocalHosts()
  const transport = createTransport(guard, localHosts)

  function assertAllowed({ href, protocol, hostname }: URL): void {
    if (href.length > MAX_URL) throw new FetchRefusal(`must NOT have more than ${MAX_URL} characters`)
    if (protocol !== 'https:' && (config.httpsOnly || protocol !== 'http:'))
      throw new FetchRefusal(config.httpsOnly ? 'must be https' : 'must be http or https')
    guard.checkLiteral(hostname)
  }

  const load = downloader(transport.open, assertAllowed)
  const send = poster(transport.open)

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

  return {
    post: (url, options) => exchange(url, () => send(url, options)),
    download: (url, limits) => exchange(url, () => load(url, limits)),
    connect: (host, port) => exchange(`tcp://${host}:${port}`, () => guard.connect(host, port)),
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
    useLocalHost: localHosts.add,
    close: transport.close,
  }
}
