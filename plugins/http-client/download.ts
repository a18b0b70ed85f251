import type { Dispatcher } from 'undici'
import { FetchRefusal } from './reason.ts'
import type { Transport } from './transport.ts'

export interface Download {
  bytes: Buffer
  /** The declared content type; '' if there is none. */
  type: string
}

export interface DownloadLimits {
  /** Largest file in bytes. */
  maxBytes: number
  /** Milliseconds for the whole download, including redirects. */
  timeoutMs: number
}

const MAX_REDIRECTS = 5

/**
 * Downloads a file from an address given by a user. The target of each redirect is checked again.
 *
 * @param assertAllowed throws a Refusal for an address that may not be called.
 */
export function downloader(transport: () => Promise<Transport>, assertAllowed: (url: URL) => void) {
  return async (url: string, { maxBytes, timeoutMs }: DownloadLimits): Promise<Download> => {
    const { agent: dispatcher, request } = await transport()
    const signal = AbortSignal.timeout(timeoutMs)
    let address = new URL(url)
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      assertAllowed(address)
      const answer = await request(address, {
        dispatcher,
        signal,
        headers: { accept: '*/*', 'user-agent': 'wamux' },
      })
      const location = [answer.headers['location']].flat()[0]
      const isRedirect = answer.statusCode >= 300 && answer.statusCode < 400 && location !== undefined
      if (answer.statusCode === 200) {
        const bytes = await readAll(answer.body, maxBytes, Number(answer.headers['content-length'] ?? 0))
        return { bytes, type: String([answer.headers['content-type']].flat()[0] ?? '') }
      }
      // An unread body would keep the connection busy; its content is not needed.
      answer.body.on('error', () => undefined).destroy()
      if (!isRedirect) throw new FetchRefusal(`the server answered ${answer.statusCode}`)
      address = new URL(location, address)
    }
    throw new FetchRefusal(`more than ${MAX_REDIRECTS} redirects`)
  }
}

async function readAll(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  announced: number,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  if (announced <= maxBytes) {
    for await (const chunk of body) {
      size += (chunk as Buffer).length
      if (size > maxBytes) break
      chunks.push(chunk as Buffer)
    }
    if (size <= maxBytes) return Buffer.concat(chunks)
  }
  body.on('error', () => undefined).destroy()
  throw new FetchRefusal(`the file has more than ${maxBytes} bytes`)
}
