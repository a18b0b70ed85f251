import { isGatewayError, reasonOf } from 'wamux/plugin'
import type { Way } from '../network/session-networks.ts'
import { readText } from './request.ts'
import { type Dated, readRevision } from './revision.ts'

/** Where a version comes from. */
export type VersionSource = 'built-in' | 'setting' | SourceName
type SourceName = (typeof SOURCES)[number]['name']

export type Found = { revision: number; source: SourceName } | { problem: string }

/** The site answers 400 to clients other than browsers. */
const BROWSER = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36',
  accept: '*/*',
  'accept-encoding': 'identity',
  'sec-fetch-site': 'none',
}

/** The files of WhatsApp Web that name its revision, in the order of the requests. */
const SOURCES = [
  { name: 'sw.js', path: '/sw.js', headers: BROWSER },
  {
    name: 'page',
    path: '/',
    headers: {
      ...BROWSER,
      accept: 'text/html',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-user': '?1',
    },
  },
] as const

/** Limit of one request; after the second limit no further request begins. */
const TIMEOUT_MS = 10_000
const ENOUGH_MS = 25_000

interface Asking {
  now: number
  signal: AbortSignal
  timeoutMs?: number
}

/**
 * Requests the sources in order, by each way in turn; never rejects.
 *
 * @param known the last accepted revision.
 */
export async function askSources(
  site: string,
  ways: AsyncIterable<Way>,
  known: Dated,
  { now, signal, timeoutMs = TIMEOUT_MS }: Asking,
): Promise<Found> {
  const began = performance.now()
  const problems = new Set<string>()
  try {
    for await (const way of ways) {
      for (const { name, path, headers } of SOURCES) {
        if (signal.aborted || performance.now() - began > ENOUGH_MS) break
        try {
          const text = await readText(way, { url: new URL(path, site), headers, signal, timeoutMs })
          return { revision: readRevision(text, known, now), source: name }
        } catch (error) {
          problems.add(`${name}: ${wordsOf(error)}`)
        }
      }
    }
  } catch (error) {
    problems.add(wordsOf(error))
  }
  return { problem: [...problems].join('; ') || 'no session is available for the look-up' }
}

/** The text that is stored and shown: without the address of a proxy, which belongs to a session. */
function wordsOf(error: unknown): string {
  return isGatewayError(error) ? 'the proxy could not connect' : reasonOf(error)
}
