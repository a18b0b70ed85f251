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

/** Bytes for a file whose length is not announced; more are taken as they come. */
const UNANNOUNCED = 65_536

async function readAll(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  announced: number,
): Promise<Buffer> {
  if (announced > maxBytes) throw tooLong(body, maxBytes)
  // Each chunk goes to its place at once: joining a large file at its end would keep everything else waiting.
  let bytes = Buffer.allocUnsafe(announced || UNANNOUNCED)
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const end = size + chunk.length
    if (end > maxBytes) throw tooLong(body, maxBytes)
    if (end > bytes.length) bytes = Buffer.concat([bytes], Math.max(end, 2 * bytes.length))
    chunk.copy(bytes, size)
    size = end
  }
  return bytes.subarray(0, size)
}

function tooLong(body: Dispatcher.ResponseData['body'], maxBytes: number): FetchRefusal {
  body.on('error', () => undefined).destroy()
  return new FetchRefusal(`the file has more than ${maxBytes} bytes`)
}
