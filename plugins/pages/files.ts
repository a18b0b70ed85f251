import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Contribution, gatewayError, type Kernel, type Reply, reply } from 'wamux/plugin'

export interface Files {
  /** Rejects ROUTE_UNKNOWN for an unknown plugin or file. */
  get(plugin: string, name: string): Promise<Reply>
  /** What plugins contribute. */
  all(): readonly Contribution<'pages'>[]
}

/** Pages load what their own gateway serves, and nothing else; a frame of another site can't show them. */
const POLICY = [
  ...[
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
  ],
  ...["connect-src 'self'", "frame-ancestors 'self'", "base-uri 'none'", "form-action 'none'"],
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

interface Made {
  readonly changed: number
  readonly reply: Reply
}

/** A file is read again when it has changed: clients that request it without reading the answer share one copy. */
export function createFiles({ contributions }: Pick<Kernel<unknown>, 'contributions'>): Files {
  const made = new Map<string, Made>()
  return {
    all: () => contributions('pages'),
    async get(plugin, name) {
      const type = TYPES[extname(name)]
      const own = contributions('pages').find((one) => one.plugin === plugin)?.value
      // One name, no path: nothing outside the folder can be asked for.
      if (!own || !type || !/^\w[\w.-]*$/.test(name)) throw gatewayError('ROUTE_UNKNOWN')
      const path = new URL(name, own.folder)
      const found = await stat(path).catch(() => undefined)
      if (!found?.isFile()) throw gatewayError('ROUTE_UNKNOWN')
      const known = made.get(path.href)
      if (known?.changed === found.mtimeMs) return known.reply
      const headers = { 'Content-Type': type, 'Content-Security-Policy': POLICY }
      const fresh = reply(await readFile(path), headers)
      made.set(path.href, { changed: found.mtimeMs, reply: fresh })
      return fresh
    },
  }
}
